import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { foundInstances } from '../../../lib/controllers/instances/found-instances.ts';
import { mirrorOf } from '../../../lib/core/node-claim/mirror/mirror.ts';
import { read, readOr } from '../../../lib/core/observed.ts';
import type { DescribedInstance } from '../../../lib/ports/cloud-provider.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { UNREAD } from '../../builders/claim-view.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aClaim, anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const CLAIM = aClaim();
const NOTHING = { mirrors: read([]), instances: read([]), claimed: new Set<string>(), takeTurns: false };

function mirrorWith(providerID: string) {
  const mirror = mirrorOf(launchedClaim());
  return { ...mirror, status: { ...mirror.status, providerID } };
}

function tagged(id: string): DescribedInstance {
  return {
    ...anInstance({ id }),
    nodeClaim: CLAIM.name,
    nodePool: '',
    nodeClass: '',
    launchedAtMs: 0,
    state: 'running',
  };
}

/** What a run finds if the object of the claim shows an instance, and EC2 lists others with its tag. */
async function idsOf(providerID: string, tags: readonly string[], claimed?: readonly string[]) {
  const store = memoryNodeClaimStore();
  await store.createNodeClaim(launchedClaim({ name: 'other' }, { id: 'i-other' }));
  await store.createNodeClaim(launchedClaim({ name: CLAIM.name, cluster: 'elsewhere' }, { id: 'i-elsewhere' }));
  const found = await foundInstances({ store }, CLAIM, {
    mirrors: read([mirrorWith(providerID)]),
    instances: read(tags.map(tagged)),
    claimed: new Set(claimed),
    takeTurns: claimed === undefined ? undefined : false,
  });
  return [readOr(found.shown, undefined)?.id, found.tagged?.id];
}

test('the object and the tags show the instance of a claim without a launch, unless it is not of EC2', async () => {
  expect(await idsOf('aws:///eu-west-3a/i-1', ['i-2'], [])).toEqual(['i-1', 'i-2']);
  expect(await idsOf('kwok://i-1', [], [])).toEqual([undefined, undefined]);
  const store = memoryNodeClaimStore();
  expect(await foundInstances({ store }, CLAIM, NOTHING)).toEqual({ shown: read(undefined) });
  expect(await foundInstances({ store }, CLAIM, { ...NOTHING, mirrors: UNREAD })).toEqual({ shown: UNREAD });
  const launched = launchedClaim();
  expect(await foundInstances({ store }, launched, { ...NOTHING, mirrors: UNREAD })).toEqual({
    shown: read(undefined),
  });
});

test.each([
  ['in a run for all claims', ['i-other', 'i-elsewhere']],
  ['in a run for a single claim, which reads the claim of the instance', undefined],
])('promise 1: an instance that another claim has is not that of the claim: %s', async (_, claimed) => {
  expect(await idsOf('aws:///eu-west-3a/i-other', ['i-other'], claimed)).toEqual([undefined, undefined]);
  expect(await idsOf('aws:///eu-west-3a/i-elsewhere', ['i-elsewhere'], claimed)).toEqual([undefined, undefined]);
  expect(await idsOf('aws:///eu-west-3a/i-1', ['i-other', 'i-1'], claimed)).toEqual(['i-1', 'i-1']);
});

test('a claim is launched although the tag karpenter.sh/nodeclaim of another instance was edited to its name', async () => {
  const failures: string[] = [];
  const launches: string[] = [];
  let startMs: number | undefined;
  const { podsPending, podsRunning, nodesLaunched } = await live({
    manifests: someManifests({
      nodePools: [aPool()],
      deployments: [aDeployment('web', 3), aDeployment('api', 0, '7')],
    }),
    scenario: {
      name: 'edited',
      events: [{ kind: 'scale', atMs: 8 * MINUTE_MS, deployment: 'default/api', replicas: 1 }],
    },
    catalogue: SMALL_CATALOGUE,
    durationMs: 14 * MINUTE_MS,
    goesOn: true,
    wrapPorts: (ports) => {
      const { cloud, store, clock } = ports;
      startMs ??= clock.now();
      const fromMs = startMs + 8 * MINUTE_MS;
      return {
        ...ports,
        cloud: {
          ...cloud,
          launch: async (request) => {
            launches.push(request.nodeClaim);
            // The outcome is unknown for a minute, so that the claim is not launched when EC2 lists the instances.
            if (clock.now() >= fromMs && clock.now() < fromMs + MINUTE_MS) throw new UnreachableError('no answer');
            return cloud.launch(request);
          },
          describeInstances: async (cluster, ids) => {
            const found = await cloud.describeInstances(cluster, ids);
            const records = await store.listNodeClaims(cluster);
            const name = records.find(({ launch }) => launch.kind !== 'launched')?.name;
            if (clock.now() < fromMs || name === undefined) return found;
            return found.map((one, index) => (index === 0 ? { ...one, nodeClaim: name } : one));
          },
        },
      };
    },
    onFailure: ({ error }) => void failures.push(String(error)),
  });
  expect({ podsPending, podsRunning }).toEqual({ podsPending: [], podsRunning: 4 });
  expect(nodesLaunched).toBe(new Set(launches).size);
  expect(failures.filter((one) => !one.includes('no answer'))).toEqual([]);
});
