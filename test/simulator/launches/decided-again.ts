import { expect } from 'vitest';
import { decisionRecorder } from '../../../lib/controllers/record/decision-recorder.ts';
import { decideAgain, verdictDifferences } from '../../../lib/core/decisions/replay.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { Verdict } from '../../../lib/core/model/decision.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { decidedText } from '../../../lib/snapshot/write-snapshot.ts';
import { memoryDecisionArchive, memoryDecisionLog } from '../../fakes/memory-decision-log.ts';

interface DecidedAgain {
  readonly again: Verdict;
  readonly snapshot: ClusterSnapshot;
  readonly nowMs: number;
}

/** Runs a simulation that stores its decisions, and expects that each of provisioning is decided again in the same way. */
export async function decidedAgain(
  simulated: (recording: Pick<SimulationInput, 'settings' | 'recorder'>) => Promise<unknown>,
): Promise<readonly DecidedAgain[]> {
  const archive = memoryDecisionArchive();
  const log = memoryDecisionLog();
  const recorder = decisionRecorder({ log, archive, snapshotText: decidedText, version: 'test' });
  await simulated({ settings: { ...DEFAULT_SETTINGS, decisionSnapshots: 'all' }, recorder });
  const found: DecidedAgain[] = [];
  for (const { snapshot: key } of await log.list('simulated', { fromMs: 0, untilMs: Infinity })) {
    if (key === undefined) continue;
    const text = await archive.get(key);
    const { decided, snapshot, nowMs } = readSnapshot({ readText: () => text }, { path: key, nowMs: 0 });
    if (decided?.function !== 'provisioning') continue;
    const again = decideAgain({ function: 'provisioning', snapshot, context: { ...decided, nowMs } });
    expect(verdictDifferences(decided.verdict, again)).toEqual([]);
    found.push({ again, snapshot, nowMs });
  }
  return found;
}
