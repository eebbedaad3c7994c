import { expect, test } from 'vitest';
import { dedupeMs } from '../../../lib/core/model/event.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { live } from '../life.ts';

test.each([
  [
    '1d',
    [
      'the annotation kerf.dev/graceful-expiration: "1d" is not a duration, so a node that expires is deleted at once and not replaced first; write a duration, such as 24h, or Never',
    ],
  ],
  ['24h', []],
])('D14: a NodePool with the grace period %s has the Events %j and launches nodes', async (grace, expected) => {
  const poolAnnotations = { 'kerf.dev/graceful-expiration': grace };
  const manifests = someManifests({
    deployments: [aDeployment('web', 3)],
    nodePools: [aNodePool({ poolAnnotations })],
  });
  const messages = new Set<string>();
  const result = await live({
    manifests,
    scenario: { name: 'annotated', events: [] },
    durationMs: 5 * 60_000,
    wrapPorts: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        publishEvent: async ({ reason, message, regarding }) => {
          if (reason === 'InvalidAnnotation' && regarding.kind === 'NodePool') messages.add(message);
        },
      },
    }),
  });
  expect(result).toMatchObject({ podsRunning: 3 });
  expect([...messages]).toEqual(expected);
});

test('an invalid annotation has one Event in an hour', () => {
  expect(dedupeMs({ reason: 'InvalidAnnotation' })).toBe(3_600_000);
});
