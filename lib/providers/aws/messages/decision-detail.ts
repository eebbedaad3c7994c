import type { Action, Blocked, Decision, DecisionPrice } from '../../../core/model/decision.ts';
import { requestWithoutUserData } from '../../../core/model/node-claim-record.ts';

/** An entry may have 256 KB with source, type and bus name; the rest is margin. @internal */
export const LARGEST_DETAIL_BYTES = 240 * 1024;

/** The number of omitted lines of each kind. The table has the whole decision. */
interface Cut {
  readonly userData: number;
  readonly launchOptions: number;
  readonly actions: number;
  readonly blocked: number;
  /** Entries of `onExistingNodes`. */
  readonly onExistingNodes: number;
}

/**
 * The number of options of a launch that are published, cheapest first, with the instance types that they name. The table has all: they are
 * most of a decision, and events are paid for by size.
 */
const OPTIONS_KEPT = 5;

/** The version of docs/events/decision.v1.schema.json. A field is removed or changed only with a new version. */
const FORMAT_VERSION = 1;

/**
 * The published form of a decision: JSON of at most LARGEST_DETAIL_BYTES. User data is always omitted, because it may contain
 * secrets, and launch options above OPTIONS_KEPT. If the text is too long, the refusals of existing nodes are omitted, then the ends of
 * lists.
 * *Cost:* O(size · log lines).
 */
export function decisionDetail(decision: Decision): string {
  const bare = decision.actions.map((action) => withoutUserData(action));
  const userData = bare.filter((action, index) => action !== decision.actions[index]).length;
  const short = bare.map((action) => withFewOptions(action));
  const launchOptions = sum(bare.map((action, index) => optionsOf(action) - optionsOf(short[index])));
  const cut = { ...NOTHING_CUT, userData, launchOptions };
  const whole = render(decision, { actions: short, blocked: decision.blocked }, cut);
  if (fits(whole)) return whole;
  const { onExistingNodes = [], ...rest } = decision;
  return longestThatFits(rest, short, { ...cut, onExistingNodes: onExistingNodes.length });
}

const NOTHING_CUT: Cut = { userData: 0, launchOptions: 0, actions: 0, blocked: 0, onExistingNodes: 0 };

/** Omits refusals before actions, which are more important. */
function longestThatFits(decision: Decision, actions: readonly Action[], cut: Cut): string {
  const { blocked } = decision;
  const lines = actions.length + blocked.length;
  const shortened = (dropped: number): string => {
    const droppedBlocked = Math.min(dropped, blocked.length);
    const kept = {
      actions: actions.slice(0, actions.length - (dropped - droppedBlocked)),
      blocked: blocked.slice(0, blocked.length - droppedBlocked),
    };
    return render(decision, kept, { ...cut, actions: dropped - droppedBlocked, blocked: droppedBlocked });
  };
  let low = 0;
  let high = lines;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(shortened(middle))) high = middle;
    else low = middle + 1;
  }
  return shortened(low);
}

function render(
  decision: Decision,
  kept: { readonly actions: readonly Action[]; readonly blocked: readonly Blocked[] },
  cut: Cut,
) {
  const isCut = Object.values(cut).some((lines) => lines > 0);
  const price = publishedPrice(decision);
  return JSON.stringify({ formatVersion: FORMAT_VERSION, ...decision, ...kept, price, ...(isCut ? { cut } : {}) });
}

/** A price of version 1 always has a lower bound. */
function publishedPrice({ price }: Decision): DecisionPrice | undefined {
  return price?.lowerBoundUsdPerHour === undefined ? undefined : price;
}

function fits(detail: string): boolean {
  return Buffer.byteLength(detail) <= LARGEST_DETAIL_BYTES;
}

function withoutUserData(action: Action): Action {
  if (action.kind !== 'launch-instance') return action;
  return { ...action, request: requestWithoutUserData(action.request) };
}

function withFewOptions(action: Action): Action {
  if (action.kind === 'launch-instance') {
    return { ...action, request: { ...action.request, overrides: action.request.overrides.slice(0, OPTIONS_KEPT) } };
  }
  if (action.kind === 'create-node-claim') {
    const options = action.nodeClaim.options.slice(0, OPTIONS_KEPT);
    const named = new Set(options.map(({ instanceType }) => instanceType));
    const types = action.nodeClaim.types.filter(({ name }) => named.has(name));
    return { ...action, nodeClaim: { ...action.nodeClaim, options, types } };
  }
  return action;
}

function optionsOf(action: Action | undefined): number {
  if (action?.kind === 'launch-instance') return action.request.overrides.length;
  return action?.kind === 'create-node-claim' ? action.nodeClaim.options.length : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
