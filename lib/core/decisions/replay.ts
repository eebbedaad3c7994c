import { type DisruptContext, disrupt } from '../disruption/disrupt.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Verdict } from '../model/decision.ts';
import { provision } from '../provisioning/provision.ts';
import { type DecidedContext, plainVerdict } from './decided-on.ts';

/** A decision to make again. */
export interface Replay {
  readonly function: 'provisioning' | 'disruption';
  readonly snapshot: ClusterSnapshot;
  readonly context: DecidedContext;
}

/** Decides as the function did. *Cost:* that of the decision. */
export function decideAgain({ function: name, snapshot, context }: Replay): Verdict {
  const { decisionId, nowMs, refused = [], refusedTaints = [], taints = true } = context;
  if (name === 'provisioning') return provision(snapshot, { decisionId, nowMs });
  const ofDisruption: DisruptContext = {
    decisionId,
    nowMs,
    refused: new Set(refused),
    refusedTaints: new Set(refusedTaints),
    taints,
  };
  return disrupt(snapshot, ofDisruption);
}

/** One value that differs. */
export interface ValueDifference {
  /** Such as `actions[0].nodeClaim.options[2].priceUsdPerHour`. */
  readonly path: string;
  /** Absent if there is no value. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The values in which two verdicts differ, in their order. *Shape:* empty if they are equal. */
export function verdictDifferences(before: object, after: Verdict): readonly ValueDifference[] {
  return differences('', JSON.parse(JSON.stringify(before)), plainVerdict(after));
}

function differences(path: string, before: unknown, after: unknown): readonly ValueDifference[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => differences(`${path}[${at}]`, before[at], after[at])).flat();
  }
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(path === '' ? name : `${path}.${name}`, before[name], after[name]));
  }
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
