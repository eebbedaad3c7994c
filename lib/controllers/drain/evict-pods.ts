import { SECOND_MS } from '../../apis/formats/time.ts';
import { graceSecondsUntil } from '../../core/cluster/pods.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { Action, ForcedDeletion } from '../../core/model/decision.ts';
import { failedLast, noteFailed } from '../act/failed-last.ts';
import { type Outcome, outcomeOf, outcomeWithReport } from '../act/outcomes.ts';
import type { HasClock, RemembersRefusals, WritesCluster } from '../run/ports.ts';
import { atMost, type MayLimitWaits } from '../wait/waits.ts';

export type Eviction = Action & { readonly kind: 'evict-pod' };

/** The evictions whose answers are awaited at the same time. */
const AT_ONCE = 5;
/** After this time, another eviction begins. An admission webhook that hangs delays an answer by ten seconds. */
const SLOW_MS = SECOND_MS;
/** The run must end in its time, and the others of its claims have their turn. */
const BEGUN_WITHIN_MS = 20 * SECOND_MS;

/**
 * Evicts the pods of one decision in order, a few at a time, so that a pod whose eviction hangs does not keep the others on the node. Pods
 * whose evictions have failed come last for five minutes. *Shape:* the outcomes of the evictions that were begun within 20 seconds; the
 * next poll decides the others again. *Cost:* a request for each pod.
 */
export async function evictPods(
  ports: WritesCluster & HasClock & RemembersRefusals & MayLimitWaits,
  cluster: string,
  evictions: readonly Eviction[],
): Promise<readonly Outcome[]> {
  const { clock } = ports;
  const startMs = clock.now();
  const subjectOf = ({ pod }: Eviction): string => `${cluster}: evict ${pod.namespace}/${pod.name}`;
  const noted = async (one: Eviction): Promise<Outcome> => {
    const outcome = await evictPod(ports, one);
    if (outcome.kind === 'failed') noteFailed(ports, subjectOf(one), outcome.error);
    return outcome;
  };
  const begun: Promise<Outcome>[] = [];
  await inParallel(failedLast(ports, evictions, subjectOf), AT_ONCE, async (one) => {
    if (clock.now() >= startMs + BEGUN_WITHIN_MS) return;
    const outcome = noted(one);
    begun.push(outcome);
    await atMost(ports, { what: subjectOf(one), ms: SLOW_MS }, outcome);
  });
  return Promise.all(begun);
}

/** A refusal by a PodDisruptionBudget is not a failure: termination tries again. */
async function evictPod({ cluster, clock }: WritesCluster & HasClock, action: Eviction): Promise<Outcome> {
  const { pod, force } = action;
  if (force !== undefined)
    return outcomeOf(action, async () => cluster.deletePod(pod, graceSecondsOf(force, clock.now())));
  return outcomeWithReport(action, async () => {
    const answer = await cluster.evictPod(pod);
    if (answer.kind !== 'blocked') return undefined;
    const subject = { kind: 'Pod', namespace: pod.namespace, name: pod.name } as const;
    return { subject, reason: 'PDB', message: answer.message, numbers: {} };
  });
}

/** D24: a decision may be carried out seconds after it was made, or by a later run. */
function graceSecondsOf({ graceSeconds, endsByMs = Infinity }: ForcedDeletion, nowMs: number): number {
  return Math.min(graceSeconds, graceSecondsUntil(endsByMs, nowMs));
}
