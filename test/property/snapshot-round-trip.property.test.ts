import fc from 'fast-check';
import { expect, test } from 'vitest';
import { disrupt } from '../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { snapshotText } from '../../lib/snapshot/write-snapshot.ts';
import { samples } from '../samples.ts';
import { randomSnapshot } from './random/random-snapshot.ts';

function read(text: string) {
  return readSnapshot({ readText: () => text }, { path: 'snapshot.json', nowMs: Date.UTC(2026, 0, 1) });
}

/** The decisions of both functions, as text. */
function decisionsOn(snapshot: ClusterSnapshot, nowMs: number): string {
  const context = { decisionId: 'decision-1', nowMs };
  const { schedule: _, ...provisioned } = provision(snapshot, context);
  return JSON.stringify([provisioned, disrupt(snapshot, context)]);
}

test('a snapshot that is written and read again gives the same decisions, byte for byte', () => {
  fc.assert(
    fc.property(randomSnapshot, (document) => {
      const { snapshot, nowMs } = read(JSON.stringify(document));
      const text = snapshotText(snapshot, nowMs);
      const again = read(text);
      expect(again.warnings).toEqual([]);
      expect(again.nowMs).toBe(nowMs);
      expect(decisionsOn(again.snapshot, again.nowMs)).toBe(decisionsOn(snapshot, nowMs));
      expect(snapshotText(again.snapshot, again.nowMs)).toBe(text);
    }),
    { seed: 20_261_122, numRuns: samples(1_000) },
  );
});
