import type { Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { sameContent } from '../../core/canonical-json.ts';
import { type Due, type PodTarget, pollAfter } from '../../core/model/decision.ts';
import { decisionOn } from '../../core/model/decision-id.ts';
import type { EvictionsRefused, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { nameWithNamespace } from '../../core/model/subject.ts';
import {
  examineRefusals,
  examinesRefusals,
  podsOf,
  type RefusalFinding,
  withProgress,
} from '../../core/node-claim/refused-evictions.ts';
import { type Observed, readOr } from '../../core/observed.ts';
import type { SharedRead } from '../observe/shared-read.ts';
import { announceRefusals } from '../run/announce-refusals.ts';
import type { ObjectRun, VerdictSubject } from '../run/apply-verdict.ts';

interface DrainedClaim {
  readonly record: NodeClaimRecord;
  readonly pods: readonly Pod[];
  readonly budgets: SharedRead<Observed<readonly PodDisruptionBudget[]>>;
  readonly seen: VerdictSubject['seen'] & object;
}

/**
 * After evictions that the API server refused: reports the pods that can never be evicted, with their budgets, once. Their
 * reason is recorded, and a condition of the NodeClaim shows it.
 * *Cost:* nothing unless an eviction was refused; then a list of budgets at the first refusal and each minute, which all claims
 * of a run share, and a write if the reason has changed, or if a drain makes progress after a wait.
 * *Shape:* the next poll, if pods were evicted, because their end is awaited, and after the first refusal: the drain was not held
 * before, even if it has taken long.
 */
export async function explainEvictions(run: ObjectRun, claim: DrainedClaim, nowMs: number): Promise<readonly Due[]> {
  const { record, seen } = claim;
  const { name, version } = record;
  const hasProgress = evictsOf(run, name).length > refusedPods(run, name).length;
  const current = hasProgress ? withProgress(record, nowMs) : record;
  const { evictionsRefused = current.deletion?.evictionsRefused, news = [] } =
    (await examined(run, { ...claim, record: current }, nowMs)) ?? {};
  if (evictionsRefused !== undefined && !sameContent(evictionsRefused, record.deletion?.evictionsRefused)) {
    await recordRefusals(run, name, evictionsRefused);
  }
  if (news.length > 0) {
    const { controller, cluster, notes } = run;
    const blocked = news.slice(0, 1);
    notes.decisions.push(decisionOn({ name, version }, { controller, cluster, atMs: nowMs }, { actions: [], blocked }));
    await announceRefusals(run, { name, version, atMs: nowMs, seen }, news);
  }
  const isFirst = record.deletion?.evictionsRefused === undefined && evictionsRefused !== undefined;
  return hasProgress || isFirst ? [pollAfter(nowMs)] : [];
}

/** *Shape:* undefined if there is nothing to examine in this poll. */
async function examined(run: ObjectRun, claim: DrainedClaim, nowMs: number): Promise<RefusalFinding | undefined> {
  const { record } = claim;
  const { deletion, name } = record;
  if (deletion === undefined) return undefined;
  const refused = podsOf(claim.pods, refusedPods(run, name));
  const isOver = refused.length === 0;
  const { never } = deletion.evictionsRefused ?? {};
  if (isOver ? never === undefined : !examinesRefusals(deletion, claim.pods, nowMs)) return undefined;
  const budgets = isOver ? [] : readOr(await claim.budgets(), undefined);
  return examineRefusals(record, { refused, ...optional({ budgets }) }, nowMs);
}

/** The evictions of this run that the API server accepted, or refused because of a budget. */
function evictsOf({ notes }: ObjectRun, name: string): readonly PodTarget[] {
  return notes.decisions.flatMap(({ actions }) =>
    actions.flatMap((action) => (action.kind === 'evict-pod' && action.nodeClaim === name ? [action.pod] : [])),
  );
}

/** The pods of the claim whose eviction was refused in this run. */
function refusedPods(run: ObjectRun, name: string): readonly PodTarget[] {
  const refused = new Set(
    run.notes.decisions.flatMap(({ blocked }) =>
      blocked.flatMap(({ subject, reason }) =>
        reason === 'PDB' && subject.kind === 'Pod' ? [nameWithNamespace(subject)] : [],
      ),
    ),
  );
  return evictsOf(run, name).filter((pod) => refused.has(nameWithNamespace(pod)));
}

/** The record is read again, because the verdict of the run may have been written to it. */
async function recordRefusals(
  { ports: { store }, cluster }: ObjectRun,
  name: string,
  evictionsRefused: EvictionsRefused,
): Promise<void> {
  const fresh = await store.readNodeClaim(cluster, name);
  if (fresh?.deletion === undefined || fresh.releasedAtMs !== undefined) return;
  await store.updateNodeClaim({ ...fresh, deletion: { ...fresh.deletion, evictionsRefused } });
}
