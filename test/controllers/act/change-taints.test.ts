import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { changeTaints, type Taint } from '../../../lib/controllers/act/change-nodes.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { clusterWith } from '../../simulator/kubernetes/cluster-with.ts';

const TAINTS = Array.from(
  { length: 100 },
  (_, at): Taint => ({
    kind: 'cordon-node',
    nodeClaim: `claim-${at}`,
    node: { name: `node-${at}` },
    patch: { taints: [] },
  }),
);

test('promise 7: nodes whose writes get no answer do not keep others from their taints', async () => {
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs };
  const written = new Set<string>();
  const cluster = {
    ...simulatedCluster(clusterWith({ nodes: [], pods: [] }), clock),
    patchNode: async ({ name }: { readonly name: string }) => {
      if (Number(name.slice(5)) < 30) {
        nowMs += SECOND_MS;
        throw new UnreachableError('no answer within 10 s');
      }
      written.add(name);
    },
  };
  for (let run = 0; run < 10; run += 1) {
    const runMs = nowMs;
    await changeTaints({ cluster, clock, store: memoryNodeClaimStore() }, 'demo', TAINTS);
    expect(nowMs - runMs).toBeLessThanOrEqual(30 * SECOND_MS);
    nowMs += 40 * SECOND_MS;
  }
  expect(written.size).toBe(70);
});
