import { beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { lastLists } from '../../../lib/controllers/instances/last-list.ts';
import { reconcileLifecycle } from '../../../lib/controllers/lifecycle.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { DescribedInstance } from '../../../lib/ports/cloud-provider.ts';
import { CLUSTER } from '../../../lib/simulator/deployment.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const RESERVATION = {
  id: 'cr-1',
  availabilityZone: 'us-east-1a',
  instanceType: 'c7g.large',
  instanceMatchCriteria: 'open',
  ownerID: '123456789012',
  reservationType: 'default',
  state: 'active',
} as const;

let ports: ControllerPorts;
/** What EC2 shows of each instance. */
let shown: (instance: DescribedInstance) => DescribedInstance;

/** A cluster with one node, ten minutes old. The clock stands still. */
beforeEach(async () => {
  shown = (instance) => instance;
  await live({
    catalogue: SMALL_CATALOGUE,
    scenario: {
      name: 'calm',
      events: [{ kind: 'scale', atMs: 9 * MINUTE_MS, deployment: 'default/web', replicas: 3 }],
    },
    durationMs: 10 * MINUTE_MS,
    wrapPorts: (all) => {
      const describeInstances: typeof all.cloud.describeInstances = async (cluster, ids) => {
        const instances = (await all.cloud.describeInstances(cluster, ids)).map(shown);
        return ids === undefined ? instances.filter(({ untagged }) => untagged !== true) : instances;
      };
      ports = { ...all, cloud: { ...all.cloud, describeInstances } };
      return ports;
    },
  });
});

/** Two processes of lifecycle, of which each keeps a list of instances. Each runs between two ticks, the other one in a tick. */
function runs() {
  const [first, second] = [lastLists(), lastLists()];
  const claim = async (): Promise<NodeClaimRecord | undefined> => (await ports.store.listNodeClaims(CLUSTER))[0];
  const run = async (lists: typeof first, reason: string) => {
    await reconcileLifecycle({ ...ports, lists }, { cluster: CLUSTER, reason });
    return claim();
  };
  return {
    between: async () => run(first, 'webhook'),
    tick: async () => run(second, 'tick'),
    unrecorded: async () => run(first, 'unrecorded-instance'),
  };
}

test('a list that was read before the security groups changed finds no drift', async () => {
  const { between, tick } = runs();
  shown = (instance) => ({ ...instance, securityGroupIds: ['sg-other'] });
  expect((await between())?.drift?.reason).toBe('SecurityGroupDrift');
  shown = (instance) => instance;
  expect((await tick())?.drift).toBeUndefined();
  expect((await between())?.drift).toBeUndefined();
});

test('a list that was read before a reservation ended finds no drift', async () => {
  const { between } = runs();
  const { cluster } = ports;
  const selecting = (...capacityReservations: readonly (typeof RESERVATION)[]) => ({
    ...cluster,
    listNodeClasses: async () =>
      (await cluster.listNodeClasses()).map((one) => ({ ...one, status: { ...one.status, capacityReservations } })),
  });
  ports = { ...ports, cluster: selecting(RESERVATION) };
  shown = (instance) => ({ ...instance, reservation: { id: 'cr-1', kind: 'default' } });
  expect((await between())?.drift).toBeUndefined();
  shown = (instance) => instance;
  ports = { ...ports, cluster: selecting() };
  expect((await between())?.drift).toBeUndefined();
});

test('a list that was read before an instance lost its tags does not end the finding', async () => {
  const { between, tick } = runs();
  expect((await between())?.consistency?.finding).toBeUndefined();
  shown = (instance) => ({ ...instance, untagged: true });
  expect((await tick())?.consistency?.finding?.reason).toBe('InstanceNotTagged');
  expect((await between())?.consistency?.finding?.reason).toBe('InstanceNotTagged');
});

test('a run for an instance without a record reads a new list, and adopts the instance', async () => {
  const { between, unrecorded } = runs();
  await between();
  ports = { ...ports, store: memoryNodeClaimStore() };
  expect(await between()).toBeUndefined();
  expect((await unrecorded())?.launch.kind).toBe('launched');
});
