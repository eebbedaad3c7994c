import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { type AdoptionPorts, applyAdoption, observeAdoption } from '../../../lib/controllers/instances/adopt.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { nodeClassHash } from '../../../lib/core/node-class/node-class-hash.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { launchedFor, live } from '../life.ts';

const ADOPTED_AFTER_MS = 10 * MINUTE_MS;
const LIVE_AFTER_MS = 20 * MINUTE_MS;
const KARPENTERS = {
  'karpenter.k8s.aws/ec2nodeclass-hash': '456',
  'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v4',
};

/** Karpenter is active first, then `kerf adopt --apply` runs while Kerf is in shadow, then Kerf manages the adopted nodes. */
function migrated(adopted: string[]) {
  return (ports: ControllerPorts): ControllerPorts => {
    const startMs = ports.clock.now();
    const at = () => ports.clock.now() - startMs;
    const store = memoryNodeClaimStore();
    const adopt = adoptOnce(ports, store, adopted);
    return {
      ...ports,
      get store() {
        return at() < ADOPTED_AFTER_MS ? ports.store : store;
      },
      get settings() {
        const shadow = at() >= ADOPTED_AFTER_MS && at() < LIVE_AFTER_MS;
        return { ...DEFAULT_SETTINGS, shadow };
      },
      leases: {
        ...ports.leases,
        see: async (name) => {
          if (at() >= ADOPTED_AFTER_MS) await adopt();
          return await ports.leases.see(name);
        },
      },
    };
  };
}

async function tagAdoptedInstance(): Promise<void> {}

function adoptOnce(ports: ControllerPorts, store: ControllerPorts['store'], adopted: string[]): () => Promise<void> {
  let asked = false;
  const listNodeClaims = async () =>
    (await ports.cluster.listNodeClaims()).map((claim) => {
      const annotations = { ...claim.metadata.annotations, ...KARPENTERS };
      return { ...claim, metadata: { ...claim.metadata, annotations } };
    });
  const clusterInstances = async (cluster: string) =>
    (await ports.cloud.describeInstances(cluster)).map((one) => ({ ...one, tags: {} }));
  const adoption: AdoptionPorts = {
    ...ports,
    store,
    cluster: { ...ports.cluster, listNodeClaims },
    cloud: { autoMode: async () => false, clusterInstances, tagAdoptedInstance },
    // Simulated clusters have no certificate authority.
    classHash: (nodeClass) => nodeClassHash(nodeClass, ''),
  };
  return async () => {
    if (asked) return;
    asked = true;
    const plan = await observeAdoption(adoption, 'simulated');
    await applyAdoption(adoption, plan);
    adopted.push(...(await store.listNodeClaims('simulated')).map(({ name }) => name));
  };
}

test('a migration from Karpenter does not replace nodes, at any later time', async () => {
  const adopted: string[] = [];
  const disruption = { ...aPool().spec.disruption, consolidationPolicy: 'WhenEmpty' as const };
  const result = await live({
    manifests: someManifests({ deployments: [aDeployment('web', 7)], nodePools: [aPool({ disruption })] }),
    scenario: { name: 'migration', events: [{ kind: 'deletePod', atMs: 5 * HOUR_MS, pod: 'none' }] },
    wrapPorts: migrated(adopted),
    durationMs: 6 * HOUR_MS,
  });
  const launched = launchedFor(result);
  expect(launched.length).toBeGreaterThan(0);
  expect(adopted.toSorted()).toEqual(launched.toSorted());
  expect(result.timeline.filter(({ kind }) => kind === 'instance-terminated')).toEqual([]);
  expect(result).toMatchObject({ nodesAtEnd: launched.length, podsRunning: 7, podsPending: [] });
  const late = result.timeline.filter(({ at, kind }) => at * 1_000 >= ADOPTED_AFTER_MS && kind !== 'scenario');
  expect(late.filter(({ kind }) => kind === 'evict-pod' || kind === 'create-node-claim')).toEqual([]);
});
