import { formatExactTime } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { countsOf } from '../counts-of.ts';
import { fingerprint } from '../identity.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Action, Blocked, Controller, Decision } from '../model/decision.ts';
import { instanceOf, type NodeClaimRecord, type RunningInstance } from '../model/node-claim-record.ts';
import { nameWithNamespace } from '../model/subject.ts';
import { type DecisionRecord, MAX_NAMES, type RecordedPrice, type RecordedRefusal } from './decision-record.ts';
import { recordedActions } from './recorded-actions.ts';
import { recordedRefusals } from './recorded-refusals.ts';

/** One run that has ended. */
export interface EndedRun {
  readonly cluster: string;
  readonly controller: Controller;
  /** The reason of its wake. */
  readonly wokenBy: string;
  /** At least one. */
  readonly decisions: readonly Decision[];
  /** Of a run that decides for the cluster. */
  readonly snapshot?: Pick<ClusterSnapshot, 'nodeClaims'>;
  /** What runs for NodeClaims, by name. @default not known */
  readonly instances?: ReadonlyMap<string, RunningInstance>;
  readonly durationMs: number;
  readonly version: string;
}

/** The record of a run. @param fresh those of its refusals that no record has */
export function recordOfRun(run: EndedRun, fresh: readonly Blocked[]): DecisionRecord {
  const { cluster, controller, decisions, durationMs, wokenBy, version } = run;
  const actions = decisions.flatMap((decision) => decision.actions);
  const causes = causesOf(actions);
  const atMs = decisions[0]?.atMs ?? 0;
  const ids = decisions.map(({ id }) => id);
  const [price] = decisions.flatMap((decision) => decision.price ?? []);
  return {
    formatVersion: 1,
    id: recordId(atMs, controller, ids),
    cluster,
    function: controller,
    atMs,
    durationMs,
    wokenBy,
    decisions: ids,
    ...(causes.length > 0 && { causes }),
    actions: recordedActions(actions, run.instances),
    refused: countsOf(decisions.flatMap(({ blocked }) => blocked.map(({ reason }) => reason))),
    refusals: [...ofExistingNodes(decisions, fresh), ...recordedRefusals(fresh)],
    ...(run.snapshot && { price: priceOf(run.snapshot.nodeClaims, actions, price) }),
    ...(decisions.some(({ shadow }) => shadow === true) && { shadow: true as const }),
    version,
  };
}

/** Why no existing node fits the pods of new refusals. Free room changes often, so it does not make a refusal new. */
function ofExistingNodes(decisions: readonly Decision[], fresh: readonly Blocked[]): readonly RecordedRefusal[] {
  const refused = new Set(fresh.flatMap(({ subject }) => (subject.kind === 'Pod' ? [nameWithNamespace(subject)] : [])));
  return decisions.flatMap(({ onExistingNodes = [] }) =>
    onExistingNodes.flatMap(({ pods, refusal: { reason, message, numbers } }): readonly RecordedRefusal[] => {
      const names = pods.filter((pod) => refused.has(pod));
      if (names.length === 0) return [];
      return [{ reason, kind: 'Pod', message, numbers, count: names.length, names: names.slice(0, MAX_NAMES) }];
    }),
  );
}

/** *Shape:* the time comes first, without characters that a file system or a shell does not take. */
function recordId(atMs: number, controller: Controller, decisions: readonly string[]): string {
  const time = formatExactTime(atMs).replaceAll(/[-:]/g, '');
  return `${time}-${controller}-${fingerprint(JSON.stringify(decisions), 6)}`;
}

/** The decisions that have proposed the commands of these actions. A command is named after its decision. */
function causesOf(actions: readonly Action[]): readonly string[] {
  const commands = actions.flatMap((action) => {
    if (action.kind === 'continue-disruption') return [action.command.id];
    if (action.kind === 'end-disruption') return [action.command];
    return action.kind === 'create-node-claim' ? (action.nodeClaim.command ?? []) : [];
  });
  return [...new Set(commands)];
}

function priceOf(
  nodeClaims: readonly NodeClaimRecord[],
  actions: readonly Action[],
  ofNew: Decision['price'],
): RecordedPrice {
  const prices = new Map(nodeClaims.map((record) => [record.name, priceOfClaim(record)]));
  const beforeUsdPerHour = totalOf(prices);
  for (const action of actions) {
    if (action.kind === 'create-node-claim') prices.set(action.nodeClaim.name, priceOfClaim(action.nodeClaim));
    if (action.kind === 'delete-node-claim') prices.delete(action.nodeClaim);
  }
  return {
    beforeUsdPerHour,
    afterUsdPerHour: totalOf(prices),
    ...optional({ newUsdPerHour: ofNew?.usdPerHour, lowerBoundUsdPerHour: ofNew?.lowerBoundUsdPerHour }),
  };
}

function priceOfClaim(record: NodeClaimRecord): number {
  const { releasedAtMs, options } = record;
  return releasedAtMs === undefined ? ((instanceOf(record) ?? options[0])?.priceUsdPerHour ?? 0) : 0;
}

function totalOf(prices: ReadonlyMap<string, number>): number {
  return Math.round([...prices.values()].reduce((sum, one) => sum + one, 0) * 1e4) / 1e4;
}
