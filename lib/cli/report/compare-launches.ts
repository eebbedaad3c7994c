/** What another autoscaler launched, for which pods, and what Kerf would have launched for the same pods. */
import { HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { compareText } from '../../core/compare-text.ts';
import { type DecisionRecord, type RecordedAction, shortId } from '../../core/decisions/decision-record.ts';
import type { SeenLaunch } from '../../core/usage/seen-launches.ts';
import { totalUsd } from '../render/format-money.ts';

/** A node that is launched, or would be. */
export interface LaunchedNode {
  readonly instanceType: string;
  readonly capacityType: string;
  readonly zone: string;
  readonly usdPerHour: number;
}

export interface ComparedLaunch {
  /** When the first of its NodeClaims was created. */
  readonly atMs: number;
  /** As `namespace/name`. Empty if no waiting pod was seen: it replaces a node, or its pods have ended. */
  readonly pods: readonly string[];
  readonly other: readonly LaunchedNode[];
  readonly otherUsdPerHour: number;
  /** @default not known: no decision has its pods */
  readonly kerf?: {
    /** The end of the id of the last record. */
    readonly record: string;
    readonly nodes: readonly LaunchedNode[];
    readonly usdPerHour: number;
    /** The pods of these nodes that were seen on no new node of the other autoscaler. */
    readonly otherPods: number;
  };
}

/** Kerf decides a few seconds before or after the other autoscaler. */
const AFTER_MS = MINUTE_MS;
const BEFORE_MS = HOUR_MS;

/** A NodeClaim or an existing node that a decision in shadow has for a pod. */
interface Choice {
  readonly key: string;
  readonly record: DecisionRecord;
  /** @default an existing node */
  readonly claim?: RecordedAction;
}

/**
 * Launches that share a decision of Kerf are one. *Shape:* oldest first.
 * @param records those of provisioning in shadow, oldest first
 */
export function compareLaunches(
  launches: readonly SeenLaunch[],
  records: readonly DecisionRecord[],
): readonly ComparedLaunch[] {
  const choiceOf = choices(records);
  const groups = grouped(launches, (launch) =>
    launch.pods.flatMap((pod) => choiceOf(pod, launch.createdAtMs)?.key ?? []),
  );
  return groups
    .map((group) => compared(group, choiceOf))
    .toSorted((a, b) => a.atMs - b.atMs || compareText(a.pods.join(), b.pods.join()));
}

type ChoiceOf = (pod: string, createdAtMs: number) => Choice | undefined;

/** The last decision for a pod until its node was launched: an earlier one was made again with more pods. */
function choices(records: readonly DecisionRecord[]): ChoiceOf {
  const byPod = new Map<string, Choice[]>();
  for (const record of records)
    for (const action of record.actions) {
      const isClaim = action.kind === 'create-node-claim';
      if (!isClaim && action.kind !== 'nominate-node') continue;
      const [name = ''] = (isClaim ? action.nodeClaims : action.nodes) ?? [];
      const choice = { key: `${record.id} ${name}`, record, ...(isClaim && { claim: action }) };
      for (const pod of action.pods ?? []) {
        const known = byPod.get(pod);
        if (known === undefined) byPod.set(pod, [choice]);
        else known.push(choice);
      }
    }
  return (pod, createdAtMs) =>
    byPod
      .get(pod)
      ?.findLast(({ record: { atMs } }) => atMs <= createdAtMs + AFTER_MS && atMs >= createdAtMs - BEFORE_MS);
}

/** *Shape:* the launches that are linked by a key, directly or through others. */
function grouped(
  launches: readonly SeenLaunch[],
  keysOf: (launch: SeenLaunch) => readonly string[],
): readonly (readonly SeenLaunch[])[] {
  const groups = new Map<readonly SeenLaunch[], readonly string[]>();
  const byKey = new Map<string, readonly SeenLaunch[]>();
  for (const launch of launches) {
    const keys = [...new Set(keysOf(launch))];
    const linked = [...new Set(keys.map((key) => byKey.get(key)))].filter((group) => group !== undefined);
    const all = [...linked.flat(), launch];
    const allKeys = [...new Set([...linked.flatMap((group) => groups.get(group) ?? []), ...keys])];
    for (const group of linked) groups.delete(group);
    groups.set(all, allKeys);
    for (const key of allKeys) byKey.set(key, all);
  }
  return [...groups.keys()];
}

function compared(group: readonly SeenLaunch[], choiceOf: ChoiceOf): ComparedLaunch {
  const pods = [...new Set(group.flatMap((launch) => launch.pods))].toSorted(compareText);
  const chosen = group.flatMap((launch) => launch.pods.flatMap((pod) => choiceOf(pod, launch.createdAtMs) ?? []));
  return {
    atMs: Math.min(...group.map(({ createdAtMs }) => createdAtMs)),
    pods,
    other: group.map(nodeOf),
    otherUsdPerHour: totalUsd(group.map(({ usdPerHour }) => usdPerHour)),
    ...optional({ kerf: ofDecisions(chosen, new Set(pods)) }),
  };
}

function ofDecisions(chosen: readonly Choice[], pods: ReadonlySet<string>): ComparedLaunch['kerf'] {
  const claims = [...new Map(chosen.map((choice) => [choice.key, choice.claim])).values()].filter(
    (claim) => claim !== undefined,
  );
  const [last] = chosen.toSorted((a, b) => b.record.atMs - a.record.atMs);
  if (last === undefined) return undefined;
  const nodes = claims.map(({ instanceType = '?', capacityType = '', zone = '', usdPerHour = 0 }) => {
    return { instanceType, capacityType, zone, usdPerHour };
  });
  const others = claims.flatMap((claim) => claim.pods ?? []).filter((pod) => !pods.has(pod));
  return {
    record: shortId(last.record),
    nodes,
    usdPerHour: totalUsd(nodes.map(({ usdPerHour }) => usdPerHour)),
    otherPods: new Set(others).size + claims.reduce((sum, { morePods = 0 }) => sum + morePods, 0),
  };
}

function nodeOf({ instanceType, capacityType, zone, usdPerHour }: SeenLaunch): LaunchedNode {
  return { instanceType, capacityType, zone, usdPerHour };
}
