import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { live } from './life.ts';

test.each([1, 2, 3, 4])(
  'B7: the pods of an interrupted node get one new node, also if a run reads the cluster during their evictions (seed %i)',
  async (seed) => {
    const { timeline } = await live({
      seed,
      manifests: someManifests({ deployments: [aDeployment('web', 3)] }),
      scenario: { name: 'interruption', events: [{ kind: 'interruptSpot', atMs: 10 * MINUTE_MS, count: 1 }] },
      durationMs: 15 * MINUTE_MS,
    });
    const created = timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? [entry.pods.length] : []));
    expect(created).toEqual([3, 3]);
  },
);
