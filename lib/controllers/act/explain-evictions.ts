import type { Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { sameContent } from '../../core/canonical-json.ts';
import { decisionOn } from '../../core/model/decision-id.ts';
import type { EvictionsRefused, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { examineRefusals, examinesRefusals, podsOf } from '../../core/node-claim/refused-evictions.ts';
import type { SharedRead } from '../observe/shared-read.ts';
import { announceRefusals } from '../run/announce-refusals.ts';
import type { ObjectRun, VerdictSubject } from '../run/apply-verdict.ts';
import { noteFailure } from './run-notes.ts';

interface DrainedClaim {
  readonly record: NodeClaimRecord;
  readonly pods: readonly Pod[];
  readonly budgets: SharedRead<readonly PodDisruptionBudget[]>;
  readonly seen: VerdictSubject['seen'] & object;
}

/**
 * After evictions that the API server refused: reports the pods that can never be evicted, with their budgets, once. Their
 * reason is recorded, and a condition of the NodeClaim shows it.
 * *Cost:* nothing unless an eviction was refused; then a list of budgets at the first refusal and each minute, which all claims
 * of a run share, and a write if the reason has changed.
 */
export async function explainEvictions(run: ObjectRun, claim: DrainedClaim, nowMs: number): Promise<void> {
  const { record, seen } = claim;
  const { deletion, name, version } = record;
  const refused = podsOf(claim.pods, refusedPods(run));
  if (deletion === undefined) return;
  const { evictionsRefused: known } = deletion;
  const isOver = refused.length === 0;
  if (isOver ? known?.never === undefined : !examinesRefusals(deletion, nowMs)) return;
  let budgets: readonly PodDisruptionBudget[] | undefined;
  await noteFailure(run, 'list PodDisruptionBudgets', async () => {
    budgets = isOver ? [] : await claim.budgets();
  });
  const { evictionsRefused, news } = examineRefusals(record, { refused, ...optional({ budgets }) }, nowMs);
  if (!sameContent(evictionsRefused, known)) await recordRefusals(run, name, evictionsRefused);
  if (news.length === 0) return;
  const { controller, cluster, notes } = run;
  const blocked = news.slice(0, 1);
  notes.decisions.push(decisionOn({ name, version }, { controller, cluster, atMs: nowMs }, { actions: [], blocked }));
  await announceRefusals(run, { name, version, atMs: nowMs, seen }, news);
}

/** The pods whose eviction was refused in this run. */
function refusedPods({ notes }: ObjectRun): readonly { readonly namespace: string; readonly name: string }[] {
  return notes.decisions.flatMap(({ blocked }) =>
    blocked.flatMap(({ subject, reason }) => (reason === 'PDB' && subject.kind === 'Pod' ? [subject] : [])),
  );
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
