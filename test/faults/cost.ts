import { HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import { selectsPod } from '../../lib/core/cluster/pod-disruption-budgets.ts';
import { instanceOf, type NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { costOf } from '../../lib/simulator/aws/simulated-ec2.ts';
import { budgetStatus } from '../../lib/simulator/kubernetes/disruptions-allowed.ts';
import type { KubernetesState } from '../../lib/simulator/kubernetes/state.ts';
import type { Watched } from './rule.ts';
import { isKeptInPlace, isTerminal } from './rules/pods.ts';
import { REGISTRATION_MS } from './rules/times.ts';

/** An instance that boots as usual has joined by then. */
const BOOTED_WITHIN_MS = 2 * MINUTE_MS;

/** So long the types of interrupted spot instances are not launched (C32). */
const MARKED_MS = 3 * MINUTE_MS;

/** What the instances cost until now. *Units:* USD. */
export function usdUntilNow({ simulation, startMs, nowMs }: Watched): number {
  return simulation()
    .ec2.instances()
    .reduce((sum, one) => sum + costOf(one, startMs() + nowMs()), 0);
}

/**
 * What those instances cost now that Kerf cannot replace. On the nodes of some, a pod must not be disrupted or its budget never allows it,
 * and chance decides which they are: the kube-scheduler chooses the node, and after a volley of spot interruptions, on-demand nodes replace
 * nodes whose limits are still used. Others have lost their Node, which may register again (`docs/stuck-nodes.md`), or have not joined, and
 * have time for it. A spot node that was launched after such a volley has another type, and is not replaced by a cheaper spot node (E24: no story
 * allows it). *Units:* USD for `forMs`.
 */
export function heldUsd(watched: Watched, forMs: number): number {
  const ids = new Set([
    ...idsWithKeptPods(watched),
    ...idsWithoutNode(watched),
    ...idsNotJoined(watched),
    ...spotIdsAfterVolley(watched),
  ]);
  return watched
    .simulation()
    .ec2.instances()
    .filter(({ id, endedAtMs }) => endedAtMs === undefined && ids.has(id))
    .reduce((sum, { priceUsdPerHour }) => sum + (priceUsdPerHour * forMs) / HOUR_MS, 0);
}

function idsWithKeptPods({ simulation, startMs, nowMs }: Watched): readonly (string | undefined)[] {
  const { state } = simulation();
  const nowAt = startMs() + nowMs();
  const strict = state.podDisruptionBudgets.filter((one) => isNeverMet(one, state));
  const kept = [...state.pods.values()].filter(
    (pod) => !isTerminal(pod) && (isKeptInPlace(pod, nowAt) || strict.some((one) => selectsPod(one, pod))),
  );
  const nodes = new Set(kept.map(({ spec }) => spec.nodeName));
  const held = [...state.nodes.values()].filter(({ metadata }) => nodes.has(metadata.name));
  return held.map(({ spec }) => spec?.providerID?.split('/').at(-1));
}

function spotIdsAfterVolley({ records, story, startMs }: Watched): readonly (string | undefined)[] {
  const volleysMs = story.faults.flatMap(({ kind, fromMs }) => (kind === 'spot-volley' ? [startMs() + fromMs] : []));
  const launched = [...records.values()].filter(
    ({ launch }) =>
      launch.kind === 'launched' &&
      launch.instance.capacityType === 'spot' &&
      volleysMs.some((atMs) => launch.atMs > atMs && launch.atMs < atMs + MARKED_MS),
  );
  return launched.map((record) => instanceOf(record)?.id);
}

/** Whether the budget allows no disruption even while all of its pods are healthy. */
function isNeverMet(budget: PodDisruptionBudget, state: KubernetesState): boolean {
  const { expectedPods, desiredHealthy } = budgetStatus(budget, state);
  return desiredHealthy >= expectedPods;
}

/** As long as a new instance has to register its Node. */
function idsWithoutNode(watched: Watched): readonly (string | undefined)[] {
  const lostAfterMs = watched.startMs() + watched.nowMs() - REGISTRATION_MS;
  return idsOfKept(watched, ({ nodeLostAtMs = 0 }) => nodeLostAtMs > lostAfterMs);
}

function idsNotJoined(watched: Watched): readonly (string | undefined)[] {
  const launchedBeforeMs = watched.startMs() + watched.nowMs() - BOOTED_WITHIN_MS;
  return idsOfKept(
    watched,
    ({ launch, registeredAtMs }) =>
      registeredAtMs === undefined && launch.kind === 'launched' && launch.atMs < launchedBeforeMs,
  );
}

/** The instances of such NodeClaims, unless they are being deleted. */
function idsOfKept(
  { records }: Watched,
  isSuch: (record: NodeClaimRecord) => boolean,
): readonly (string | undefined)[] {
  const kept = [...records.values()].filter((record) => record.deletion === undefined && isSuch(record));
  return kept.map((record) => instanceOf(record)?.id);
}
