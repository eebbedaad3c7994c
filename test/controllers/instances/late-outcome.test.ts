import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** The replies to launches are lost until this time. The nodes join before. */
const LOST_UNTIL_MS = 64 * SECOND_MS;

test('a node that joins before the outcome of its launch is known is registered when it is known, not at the next tick', async () => {
  let startMs: number | undefined;
  const loseReplies = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    cloud: {
      ...ports.cloud,
      async launch(request) {
        const outcome = await ports.cloud.launch(request);
        startMs ??= ports.clock.now();
        if (ports.clock.now() < startMs + LOST_UNTIL_MS) throw new UnreachableError('the reply of the test is lost');
        return outcome;
      },
      // EC2 does not list the instances yet.
      describeInstances: async () => [],
    },
  });
  const { timeline } = await live({ catalogue: SMALL_CATALOGUE, wrapPorts: loseReplies, durationMs: 3 * MINUTE_MS });
  const launchedAt = timeline.find(({ kind }) => kind === 'launch-instance')?.at ?? Infinity;
  const registeredAt = timeline.find(({ kind }) => kind === 'register-node')?.at ?? Infinity;
  expect(launchedAt * SECOND_MS).toBeGreaterThan(LOST_UNTIL_MS);
  expect(registeredAt - launchedAt).toBeLessThan(5);
});

test.each([1, 10])(
  'instances of %d claims with one request that EC2 lists after the claims were given up and replaced are terminated',
  async (count) => {
    const { template, disruption } = aPool().spec;
    const requirements = [...template.spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
    const spec = {
      disruption: { ...disruption, consolidateAfter: 'Never' },
      template: { ...template, spec: { ...template.spec, requirements } },
    };
    const { nodesLaunched, nodesAtEnd, podsPending } = await live({
      manifests: someManifests({
        nodePools: [{ ...aPool(), spec: { ...aPool().spec, ...spec } }],
        deployments: [aDeployment('web', count)],
      }),
      scenario: { name: 'late', events: [] },
      goesOn: true,
      durationMs: 30 * MINUTE_MS,
      catalogue: SMALL_CATALOGUE,
      faults: [
        { id: 1, kind: 'odd-launches', how: 'reply-lost', percent: 100, fromMs: 0, forMs: 6 * MINUTE_MS },
        { id: 2, kind: 'listed-late', lagMs: 14 * MINUTE_MS, fromMs: 0, forMs: 30 * MINUTE_MS },
      ],
    });
    expect({ nodesLaunched, nodesAtEnd, podsPending }).toEqual({
      nodesLaunched: 2 * count,
      nodesAtEnd: count,
      podsPending: [],
    });
  },
);

test('a NodeClaim of a static NodePool that is deleted before the outcome of its launch is known is removed when it is known', async () => {
  const staticPool = { ...aPool(), spec: { ...aPool().spec, replicas: 2 } };
  const { timeline } = await live({
    manifests: someManifests({ nodePools: [staticPool] }),
    settings: { ...DEFAULT_SETTINGS, featureGates: { ...DEFAULT_SETTINGS.featureGates, staticCapacity: true } },
    catalogue: SMALL_CATALOGUE,
    durationMs: 3 * MINUTE_MS,
    faults: [
      { id: 1, kind: 'odd-launches', how: 'reply-lost', percent: 100, fromMs: 0, forMs: 85 * SECOND_MS },
      { id: 2, kind: 'by-hand', what: 'delete-node-claim', nth: 0, fromMs: 70 * SECOND_MS, forMs: 0 },
      // No node joins meanwhile.
      { id: 3, kind: 'machines', how: 'never-join', percent: 100, fromMs: 0, forMs: 3 * MINUTE_MS },
    ],
  });
  const launchedAt = timeline.find(({ kind }) => kind === 'launch-instance')?.at ?? Infinity;
  const deletedAt = timeline.find(({ kind }) => kind === 'delete-node-claim')?.at ?? Infinity;
  expect(launchedAt).toBeGreaterThan(85);
  expect(deletedAt - launchedAt).toBeLessThan(3);
});
