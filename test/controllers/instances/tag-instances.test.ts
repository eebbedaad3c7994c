import { expect, test } from 'vitest';
import type { ClusterWork } from '../../../lib/controllers/instances/instance-work.ts';
import { tagInstances } from '../../../lib/controllers/instances/tag-instances.ts';
import { read } from '../../../lib/core/observed.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';

test.each([
  ['a tick', true, 1],
  ['another run, which may be repeated every few seconds', false, 0],
])('C84: %s gives an instance its tags: %s', async (_, isTick, calls) => {
  const reads: string[] = [];
  const store = {
    readNodeClaim: async (_cluster: string, name: string) => {
      reads.push(name);
      return await Promise.resolve(undefined);
    },
  };
  const work: ClusterWork = Object({
    ports: { clock: { now: () => NOW_MS }, store, messages: { publish: async () => await Promise.resolve() } },
    cluster: 'demo',
    controller: 'lifecycle',
    notes: { decisions: [], due: [], failures: [], instances: new Map() },
    records: [launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS })],
    world: { instances: read([]), nodeClasses: read([aNodeClass()]), shifted: read(new Set()) },
    isTick,
  });
  await tagInstances(work);
  expect(reads).toHaveLength(calls);
});
