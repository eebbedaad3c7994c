import { expect, test } from 'vitest';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { live } from '../life.ts';

test.each([
  ['a name that is too long for a label', { name: 'x'.repeat(64) }, 'becomes a label of every node'],
  [
    'a taint twice',
    {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule', value: 'b' },
      ],
    },
    'the taint a:NoSchedule is listed twice',
  ],
] as const)('a NodePool that its status calls invalid launches nothing: %s (A1.26)', async (_what, options, says) => {
  const manifests = someManifests({ deployments: [aDeployment('web', 3)], nodePools: [aNodePool(options)] });
  const result = await live({ manifests, scenario: { name: 'invalid', events: [] } });
  expect(result).toMatchObject({ nodesLaunched: 0, podsRunning: 0 });
  expect(JSON.stringify(result.podsPending)).toContain(says);
});
