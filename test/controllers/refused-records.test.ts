import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { RefusedError } from '../../lib/ports/errors.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from './life.ts';

/** The table refuses every write of the first record that is initialized. */
function refusing(seen: { name?: string }): (ports: ControllerPorts) => ControllerPorts {
  return (ports) => {
    const updateNodeClaim = async (record: NodeClaimRecord): Promise<NodeClaimRecord> => {
      const before = await ports.store.readNodeClaim(record.cluster, record.name);
      if (before?.initializedAtMs !== undefined) seen.name ??= record.name;
      if (record.name === seen.name) throw new RefusedError('the item is too large');
      return ports.store.updateNodeClaim(record);
    };
    return { ...ports, store: { ...ports.store, updateNodeClaim } };
  };
}

test('a record that the table refuses to write keeps its empty node, and the other empty nodes are removed', async () => {
  const seen: { name?: string } = {};
  const { spec } = aPool();
  const oneAtATime = { budgets: [{ nodes: '1' }], consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' } as const;
  const result = await live({
    manifests: someManifests({
      nodePools: [aPool({ ...spec, disruption: oneAtATime })],
      deployments: [aDeployment('web', 3, '1500m')],
    }),
    scenario: {
      name: 'empty',
      events: [{ kind: 'scale', atMs: 5 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
    },
    catalogue: { ...SMALL_CATALOGUE, facts: SMALL_CATALOGUE.facts.filter(({ name }) => name === 'c7g.large') },
    durationMs: 20 * MINUTE_MS,
    wrapPorts: refusing(seen),
  });
  const ended = result.timeline.flatMap((one) => (one.kind === 'instance-terminated' ? [one.nodeClaim] : []));
  expect(ended).toHaveLength(result.nodesLaunched - 1);
  expect(ended).not.toContain(seen.name);
  const commands = result.timeline.flatMap((one) => (one.kind === 'start-disruption' ? [one.command] : []));
  const forIt = commands.filter(({ candidates }) => candidates.some(({ nodeClaim }) => nodeClaim === seen.name));
  expect(forIt, 'commands for the node that cannot be removed').toHaveLength(1);
});

function refusePodEvents(ports: ControllerPorts): ControllerPorts {
  const updateNodeClaim = async (record: NodeClaimRecord): Promise<NodeClaimRecord> => {
    const before = await ports.store.readNodeClaim(record.cluster, record.name);
    // The first event of a node is recorded, so that the NodeClaims are the same in the next looks.
    const isNext = before?.lastPodEventAtMs !== undefined && before.lastPodEventAtMs !== record.lastPodEventAtMs;
    if (isNext) throw new RefusedError('the pod event is refused');
    return ports.store.updateNodeClaim(record);
  };
  return { ...ports, store: { ...ports.store, updateNodeClaim } };
}

test('a refused write of a pod event is reported, also if the run reads the NodeClaims again', async () => {
  const { timeline } = await live({
    manifests: someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 3, '1500m')] }),
    scenario: {
      name: 'fewer',
      events: [{ kind: 'scale', atMs: 20.5 * MINUTE_MS, deployment: 'default/web', replicas: 2 }],
    },
    catalogue: SMALL_CATALOGUE,
    durationMs: 25 * MINUTE_MS,
    wrapPorts: refusePodEvents,
  });
  const failed = timeline.flatMap((one) => (one.kind === 'function-failed' ? [one.message] : []));
  expect(failed.filter((message) => message.endsWith('the pod event is refused'))).not.toEqual([]);
});
