import { expect, test } from 'vitest';
import { notePodEvents } from '../../../lib/controllers/act/note-pod-events.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { RefusedError, StaleRecordError } from '../../../lib/ports/errors.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const NODES = Array.from({ length: 60 }, (_, index) => initializedNode({ name: `${index}` }));

async function noted(startMs: number, write: (name: string) => number) {
  let nowMs = startMs;
  const begun: string[] = [];
  const store = {
    updateNodeClaim: async (record: NodeClaimRecord) => {
      begun.push(record.name);
      await Promise.resolve();
      nowMs += write(record.name);
      return { ...record, version: record.version + 1 };
    },
  };
  const notes = { decisions: [], failures: [], due: [] };
  const work: Parameters<typeof notePodEvents>[0] = Object({ ports: { store, clock: { now: () => nowMs } }, notes });
  const pods = NODES.map(({ node }) => runningPod(node.metadata.name));
  const { nodeClaims } = await notePodEvents(work, snapshotOf(NODES, { pods }));
  return { begun, nodeClaims, failures: notes.failures.map(String), tookMs: nowMs - startMs };
}

test('slow writes of pod events do not use up the time of the run, and each run begins with others', async () => {
  const first = await noted(NOW_MS, () => 2 * SECOND);
  expect(first.tookMs).toBeLessThan(45 * SECOND);
  expect(first.nodeClaims.map(({ lastPodEventAtMs }) => lastPodEventAtMs)).toEqual(NODES.map(() => NOW_MS));
  const all = new Set(first.begun);
  for (let run = 1; run <= 12; run += 1)
    for (const name of (await noted(NOW_MS + run * MINUTE, () => 2 * SECOND)).begun) all.add(name);
  expect(all.size).toBe(NODES.length);
});

test('a record that cannot be written is named, and the others are written', async () => {
  const { nodeClaims, failures } = await noted(NOW_MS, (name) => {
    if (name === 'claim-3') throw new RefusedError('denied');
    if (name === 'claim-4') throw new StaleRecordError('changed');
    return 0;
  });
  expect(failures).toEqual(['Error: NodeClaim claim-3: denied']);
  expect(nodeClaims.filter(({ version }) => version > (NODES[0]?.nodeClaim.version ?? 0))).toHaveLength(58);
});
