import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { type Due, pollAfter, requeueAt } from '../../core/model/decision.ts';
import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { nameDue } from '../../core/node-claim/expected-node.ts';
import { decideLifecycle } from '../../core/node-claim/lifecycle.ts';
import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { readOr } from '../../core/observed.ts';
import { noteRefusedLaunch } from '../act/launch-refusals.ts';
import { noteFailure } from '../act/run-notes.ts';
import { nodeClaimNamed } from '../observe/find-observed.ts';
import { type ObservedClaims, viewOf } from '../observe/observe-claims.ts';
import type { LaunchContextPorts } from '../observe/observe-launch-context.ts';
import { announceRefusals } from '../run/announce-refusals.ts';
import { applyVerdict, type ObjectRun, type VerdictPorts } from '../run/apply-verdict.ts';
import type { ReadsCluster } from '../run/ports.ts';
import { showRecord } from '../status/show-record.ts';
import { noteThrottled, whyNotNow } from './launch-turn.ts';

/** The number of launches that one invocation tries for a claim. The next invocation continues. */
export const MAX_STEPS = 12;

export type AdvanceRun = ObjectRun<VerdictPorts & LaunchContextPorts & ReadsCluster>;

interface Advancing {
  readonly world: ObservedClaims;
  /** How many launches of the claim the invocation has tried. */
  readonly step: number;
}

/** Advances a claim step by step. After a refused launch, the next-best offering is tried in the same invocation. */
export async function advanceClaim(
  run: AdvanceRun,
  known: NodeClaimRecord,
  { world, step: first }: Advancing,
): Promise<readonly Due[]> {
  const { ports, cluster } = run;
  let record = known;
  let due: readonly Due[] = [];
  let hasFailed = false;
  for (let step = first; step < MAX_STEPS; step += 1) {
    world.inFlight.delete(record.name);
    const view = await viewOf(ports, record, world);
    const nowMs = ports.clock.now();
    // The node of a launched claim decides everything.
    if (view.kind === 'unread') return [pollAfter(nowMs)];
    const verdict = decideLifecycle(view.value, nowMs);
    const turn = await whyNotNow(ports, [verdict], world);
    if (turn !== undefined) {
      due = [turn];
      break;
    }
    ({ due } = verdict);
    const { actions, blocked, whenDone } = verdict;
    const { name, version } = record;
    const changed = verdict.record === record ? undefined : verdict.record;
    if (verdict.record.launch.kind !== 'launched') world.inFlight.set(name, verdict.record);
    const seen = { nodes: readOr(world.nodes, []), nodeClaims: readOr(world.mirrors, []) };
    const subject = { name, version, atMs: nowMs, seen, claim: verdict.record };
    const isApplied = await applyVerdict(run, subject, { record: changed, actions, blocked, whenDone });
    noteRefusedLaunch(run, record, verdict.news ?? []);
    await announceRefusals(run, subject, verdict.news ?? []);
    // What may succeed soon is repeated by the notes of the run, and the rest by the next tick.
    if (!isApplied) {
      hasFailed = true;
      due = due.filter(({ atMs }) => atMs >= nowMs + MINUTE_MS);
    }
    if (isApplied && verdict.isNamed === true) world.named.add(name);
    if (!isApplied || (actions.length === 0 && changed === undefined)) break;
    record = (await ports.store.readNodeClaim(cluster, name)) ?? verdict.record;
    noteThrottled(world, [record], nowMs);
    if (record.launch.kind === 'launched' || record.deletion !== undefined) break;
  }
  const wasLaunched = known.launch.kind === 'launched';
  return finishStep(run, record, { world, due, wasLaunched, hasFailed, isFresh: record !== known });
}

/** Shows the claim in the cluster. *Shape:* when it is reconciled again. */
export async function finishStep(
  run: AdvanceRun,
  record: NodeClaimRecord,
  { world, due, isFresh, wasLaunched = false, hasFailed = false }: Finished,
): Promise<readonly Due[]> {
  const { ports } = run;
  run.notes.records?.set(record.name, record);
  await noteFailure(run, `show NodeClaim ${record.name}`, async () => showRecord(ports, record, { world, isFresh }));
  if (hasFailed) return due;
  const isMet = !wasLaunched && isAwaited(record, world);
  const nowMs = ports.clock.now();
  if (isMet || (isRefused(record) && due.length === 0)) return [requeueAt(nowMs + SECOND_MS)];
  return wasLaunched ? due : [...due, ...nameDue(record, nowMs)];
}

interface Finished {
  readonly world: ObservedClaims;
  readonly due: readonly Due[];
  /** The record was read or written after the step. */
  readonly isFresh: boolean;
  /** The claim was launched before this run. @default false */
  readonly wasLaunched?: boolean;
  /** The last step could not be carried out: only the notes of the run, the next tick and these due times repeat it. @default false */
  readonly hasFailed?: boolean;
}

/** The node joined or the object was deleted before the outcome of the launch was known, so no event of them triggers a run. */
function isAwaited(record: NodeClaimRecord, { nodes, mirrors }: ObservedClaims): boolean {
  if (instanceOf(record) === undefined) return false;
  if (nodeOfClaim(readOr(nodes, []), record) !== undefined) return true;
  const mirror = nodeClaimNamed(readOr(mirrors, []), record.name);
  return record.deletion === undefined && mirror?.metadata.deletionTimestamp !== undefined;
}

/** Whether a launch was refused and the next invocation tries other offerings. */
export function isRefused({ launch, deletion }: NodeClaimRecord): boolean {
  return launch.kind === 'refused' && deletion === undefined;
}
