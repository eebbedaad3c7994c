import { expect, test } from 'vitest';
import type { AdoptFlags } from '../../../lib/cli/adopt/adopt-command.ts';
import { runAdopt } from '../../../lib/cli/adopt/run-adopt.ts';
import type { AdoptionPorts } from '../../../lib/controllers/instances/adopt.ts';
import type { AutoscalerTraces } from '../../../lib/core/cluster/other-autoscalers.ts';
import { RefusedError, UnreachableError, UnreadableError } from '../../../lib/ports/errors.ts';
import { memoryCatalogueStore } from '../../../lib/simulator/memory-catalogue-store.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aClusterInstance, aJoinedNode, aKarpenterClaim, anAdoptionWorld } from '../../builders/adoption-world.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aKarpenterDeployment, KARPENTER_TRACES, NO_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { fakeShell } from '../fake-shell.ts';
import { runKerf } from '../run-kerf.ts';

/** Two nodes, one of them being deleted; a claim that was not launched; an interrupted launch. */
function aMigration(traces: AutoscalerTraces = NO_TRACES) {
  const store = memoryNodeClaimStore();
  const tagged: string[] = [];
  const deleted = aKarpenterClaim('general-b', 'i-0b2222222222', { deletionTimestamp: '2026-01-31T07:30:00Z' });
  const { status: _, ...unlaunched } = aKarpenterClaim('general-c', '');
  const world = anAdoptionWorld({
    nodeClaims: [aKarpenterClaim('general-a', 'i-0a1111111111'), deleted, unlaunched],
    nodes: [aJoinedNode('general-a', 'i-0a1111111111'), aJoinedNode('general-b', 'i-0b2222222222')],
  });
  const instances = [
    aClusterInstance('i-0a1111111111', 'general-a'),
    aClusterInstance('i-0b2222222222', ''),
    aClusterInstance('i-0d4444444444', ''),
  ];
  const ports: AdoptionPorts = {
    cluster: {
      findOtherAutoscalers: async () => traces,
      listAutoModePools: async () => [],
      listNodeClaims: async () => world.nodeClaims,
      listNodes: async () => world.nodes,
      listNodePools: async () => world.nodePools,
      listNodeClasses: async () => [],
    },
    store,
    catalogue: memoryCatalogueStore(),
    clock: { now: () => NOW_MS },
    cloud: {
      autoMode: async () => false,
      clusterInstances: async () => instances,
      tagAdoptedInstance: async (id, tags) => void tagged.push(`${id} ${Object.keys(tags).join()}`),
    },
    classHash: () => ({}),
  };
  return { ports, store, tagged };
}

async function adopt(ports: AdoptionPorts, over: Partial<AdoptFlags> = {}) {
  const { context, ran } = fakeShell();
  const there = { region: undefined, endpoint: undefined, namespaces: undefined } as const;
  const reached = { ...there, kubeconfig: undefined, context: undefined } as const;
  const flags = { cluster: 'demo', table: 'state', ...reached, apply: false } as const;
  await runAdopt(context, { ...flags, output: 'text', ...over }, async () => ports);
  return ran();
}

test('a sign that a user of one namespace can create is named, and does not stop the adoption', async () => {
  const { ports, store } = aMigration({ ...NO_TRACES, deployments: [aKarpenterDeployment({ namespace: 'team-a' })] });
  const { stdout, code } = await adopt(ports, { apply: true });
  expect(stdout).toContain('Deployment team-a/karpenter');
  expect(code).toBe(0);
  expect(await store.listNodeClaims('demo')).not.toEqual([]);
});

test('without --apply the output fits 80 columns and nothing is written', async () => {
  const { ports, store, tagged } = aMigration();
  const { stdout, code } = await adopt(ports);
  expect(stdout).toMatchSnapshot();
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(code).toBe(0);
  expect(await store.listNodeClaims('demo')).toEqual([]);
  expect(tagged).toEqual([]);
});

test('--apply writes records and missing tags; a second run writes nothing', async () => {
  const { ports, store, tagged } = aMigration();
  const { stdout } = await adopt(ports, { apply: true });
  expect(stdout).toContain('Kerf adopted 2 NodeClaims; 0 already recorded, 2 skipped.');
  const records = await store.listNodeClaims('demo');
  expect(records.map(({ name }) => name)).toEqual(['general-a', 'general-b']);
  expect(records[1]?.deletion?.reason).toBe('deleted');
  expect(tagged).toEqual(['i-0b2222222222 karpenter.sh/nodeclaim']);
  const again = await adopt(ports, { apply: true });
  expect(again.stdout).toContain('Kerf adopted 0 NodeClaims; 2 already recorded, 2 skipped.');
});

test('while Karpenter is active --apply writes nothing and prints how to stop Karpenter', async () => {
  const { ports, store } = aMigration(KARPENTER_TRACES);
  const { stdout, code } = await adopt(ports, { apply: true });
  expect(stdout.replaceAll('\n', ' ')).toContain('kubectl -n kube-system scale deployment karpenter --replicas=0');
  expect(stdout.replaceAll('\n', ' ')).toContain(
    'Nothing was written: --apply is refused while another autoscaler is active',
  );
  expect(code).toBe(1);
  expect(await store.listNodeClaims('demo')).toEqual([]);
});

test('--output json has the same content', async () => {
  const { stdout } = await adopt(aMigration().ports, { output: 'json' });
  expect(JSON.parse(stdout)).toMatchObject({
    cluster: 'demo',
    applied: false,
    claims: [
      { nodeClaim: 'general-a', outcome: 'adopt', tags: {} },
      { nodeClaim: 'general-b', outcome: 'adopt' },
      { nodeClaim: 'general-c', outcome: 'left', reason: 'NoInstance' },
      { instanceId: 'i-0d4444444444', outcome: 'left', reason: 'LaunchCutOff' },
    ],
  });
});

test('without a cluster or a table the error names the missing flag', async () => {
  const { stderr, code } = await runKerf(['adopt', '--cluster', 'demo']);
  expect(stderr).toContain('table');
  expect(code).toBe(2);
});

test.each([
  [['--cluster', 'a/b', '--table', 't'], '--cluster is "a/b": it must be the name of an EKS cluster'],
  [['--cluster', 'demo', '--table', ''], '--table is "": it must be a string that is not empty'],
  [['--cluster', 'demo', '--table', 't', '--endpoint', 'nonsense'], '--endpoint is nonsense: it must be an address'],
  [['--cluster', 'demo', '--table', 't', '--endpoint', 'http://10.0.0.1'], 'it must begin with https://'],
])('%j is bad input, reported before any call', async (args, message) => {
  const { stderr, code } = await runKerf(['adopt', ...args, '--region', 'us-east-1']);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test('if the check for other autoscalers is not permitted, --apply writes nothing and prints the reason', async () => {
  const { ports, store, tagged } = aMigration({ ...NO_TRACES, unread: ['leases: 403'] });
  const { stdout, code } = await adopt(ports, { apply: true });
  expect(stdout).toContain('leases: 403');
  expect(stdout).toContain('failed to check for other autoscalers');
  expect(code).toBe(1);
  expect(await store.listNodeClaims('demo')).toEqual([]);
  expect(tagged).toEqual([]);
  expect((await adopt(ports)).code).toBe(0);
});

test('a record that cannot be read does not end the adoption of the others', async () => {
  const { ports, store } = aMigration();
  const readNodeClaim: typeof store.readNodeClaim = async (cluster, name) => {
    if (name === 'general-a') throw new UnreadableError('NodeClaim item claim#general-a has no body');
    return store.readNodeClaim(cluster, name);
  };
  const { stdout } = await adopt({ ...ports, store: { ...store, readNodeClaim } }, { apply: true });
  expect(stdout).toContain('claim#general-a');
  expect((await store.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['general-b']);
});

test('an instance that cannot be tagged is left with the reason, and the others are adopted', async () => {
  const { ports, store } = aMigration();
  const full = 'i-0a1111111111';
  const instances = [aClusterInstance(full, ''), aClusterInstance('i-0b2222222222', '')];
  const tagAdoptedInstance: AdoptionPorts['cloud']['tagAdoptedInstance'] = async (id) => {
    if (id === full) throw new RefusedError(`tag ${id}: TagLimitExceeded: it has 50 tags`);
  };
  const cloud = { ...ports.cloud, clusterInstances: async () => instances, tagAdoptedInstance };
  const { stdout, code } = await adopt({ ...ports, cloud }, { apply: true });
  expect((await store.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['general-b']);
  expect(stdout).toMatch(/Skipped\n {2}general-a\n {4}tag i-0a1111111111: TagLimitExceeded: it has 50 tags\n/);
  expect(stdout.replaceAll('\n', ' ')).toContain(
    'Kerf adopted 1 NodeClaim; 0 already recorded, 2 skipped. 1 instance could not be adopted: solve what is named',
  );
  expect(stdout).not.toContain('Set shadow to false');
  expect(code).toBe(3);
  const json = await adopt({ ...ports, cloud }, { apply: true, output: 'json' });
  expect(JSON.parse(json.stdout)).toMatchObject({
    applied: true,
    claims: [{ nodeClaim: 'general-a', outcome: 'left', reason: 'ActionRefused' }, { outcome: 'known' }, {}],
  });
  expect(json.code).toBe(3);
});

test('a record that cannot be written does not end the adoption of the others, and a second run adopts its instance', async () => {
  const { ports, store } = aMigration();
  const createNodeClaim: typeof store.createNodeClaim = async (record) => {
    if (record.name === 'general-a') throw new UnreachableError('DynamoDB: no answer');
    return store.createNodeClaim(record);
  };
  const first = await adopt({ ...ports, store: { ...store, createNodeClaim } }, { apply: true });
  expect(first.stdout).toContain('DynamoDB: no answer');
  expect(first.code).toBe(3);
  expect((await store.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['general-b']);
  expect((await adopt(ports, { apply: true })).code).toBe(0);
  expect((await store.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['general-a', 'general-b']);
});
