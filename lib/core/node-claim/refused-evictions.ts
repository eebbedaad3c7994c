import { counted } from '../../apis/counted.ts';
import { SECOND_MS } from '../../apis/formats/time.ts';
import { namespaceOf, type Pod, type PodDisruptionBudget, podKey } from '../../apis/kubernetes.ts';
import { compareText } from '../compare-text.ts';
import type { Blocked, PodTarget } from '../model/decision.ts';
import type { Deletion, EvictionsRefused, NodeClaimRecord } from '../model/node-claim-record.ts';
import { namespacedSubject } from '../model/subject.ts';
import { whyNeverEvicted } from './never-evicted.ts';
import { isFirstPollOfMinute } from './poll.ts';

/** What a drain has found out about the evictions that the API server refused. */
export interface RefusalFinding {
  /** To be recorded. */
  readonly evictionsRefused: EvictionsRefused;
  /** Refusals that are new, for the report and as Events: first that of the claim, then those of its pods. */
  readonly news: readonly Blocked[];
}

/**
 * Whether PodDisruptionBudgets are read after refused evictions: at the first refusal of a drain, and then in the first poll of a
 * minute, because the budgets may change. All claims use the same minutes, so one list serves them.
 */
export function examinesRefusals(deletion: Deletion, pods: readonly Pod[], nowMs: number): boolean {
  return deletion.evictionsRefused === undefined || isFirstPollOfMinute(pods, deletion, nowMs);
}

/** After this time without progress, a drain is polled less often (`pollAfterWait`). */
const WAITED_MS = 40 * SECOND_MS;

/** The record after an eviction was accepted: its refused evictions are retried often again. *Shape:* itself if they are already. */
export function withProgress(record: NodeClaimRecord, nowMs: number): NodeClaimRecord {
  const { deletion } = record;
  const refused = deletion?.evictionsRefused;
  if (deletion === undefined || refused === undefined || nowMs - refused.sinceMs < WAITED_MS) return record;
  return { ...record, deletion: { ...deletion, evictionsRefused: { ...refused, sinceMs: nowMs } } };
}

interface RefusedEvictions {
  readonly refused: readonly Pod[];
  /** @default they could not be read */
  readonly budgets?: readonly PodDisruptionBudget[];
}

/** Finds the pods whose eviction is refused for ever. *Shape:* news only if it differs from the record. */
export function examineRefusals(
  { name, nodePool, deletion }: NodeClaimRecord,
  { refused, budgets }: RefusedEvictions,
  nowMs: number,
): RefusalFinding {
  const known = deletion?.evictionsRefused;
  const sinceMs = known?.sinceMs ?? nowMs;
  if (budgets === undefined) return { evictionsRefused: known ?? { sinceMs }, news: [] };
  const found = refused
    .toSorted((a, b) => compareText(podKey(a), podKey(b)))
    .flatMap((pod) => {
      const why = whyNeverEvicted(pod, budgets);
      return why === undefined ? [] : [{ pod, why }];
    });
  const [first] = found;
  if (first === undefined) return { evictionsRefused: { sinceMs }, news: [] };
  const others = found.length === 1 ? '' : `; and ${counted(found.length - 1, 'more pod')}`;
  const { reason, message: text, numbers } = first.why;
  const message = `pod ${podKey(first.pod)} can never be evicted: ${text}${others}`;
  const evictionsRefused = { sinceMs, never: { reason, message } };
  if (known?.never?.message === message) return { evictionsRefused, news: [] };
  const ofClaim = { subject: { kind: 'NodeClaim', name } as const, nodePool, reason, message, numbers };
  const ofPods = found.map(({ pod, why }) => ({ subject: namespacedSubject('Pod', pod), nodePool, ...why }));
  return { evictionsRefused, news: [ofClaim, ...ofPods] };
}

/** The pods among these that the targets name. */
export function podsOf(
  pods: readonly Pod[],
  targets: readonly Pick<PodTarget, 'namespace' | 'name'>[],
): readonly Pod[] {
  const keys = new Set(targets.map(({ namespace, name }) => `${namespace}/${name}`));
  return pods.filter((pod) => keys.has(`${namespaceOf(pod)}/${pod.metadata.name}`));
}
