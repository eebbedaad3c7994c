import { describe, expect, test } from 'vitest';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool, aGivenType } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';
import { aPodWith, apart, asking, type Json, near, plan, planned, range, ZONE } from './hostile-plans.ts';

/** Hostile snapshots: the command gives a reason for every pod or an error message, and no stack trace. */

function aPoolRequiring(...requirements: readonly Json[]): Json {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return aGivenPool('general', { template: { spec: { nodeClassRef, requirements } } });
}

function only(...offerings: readonly Json[]): Json {
  return { instanceTypes: [aGivenType('a', 2, { offerings })] };
}

function nodes(count: number): Json {
  return {
    nodes: range(count).map((at) => aGivenNode(`node-${at}`)),
    nodeClaims: range(count).map((at) => aGivenClaim(`node-${at}`)),
  };
}

describe('NodePools that cannot launch nodes', () => {
  const twice = [
    { key: ZONE, operator: 'In', values: ['us-east-1a'] },
    { key: ZONE, operator: 'In', values: ['us-east-1b'] },
  ];
  test.each<readonly [string, Json, readonly [string, string]]>([
    ['no instance types', { instanceTypes: [] }, ['NoCompatibleInstanceTypes', 'the pool has no instance types']],
    ['no offerings', only(), ['NoOffering', '1 instance type fits, but it has no offering']],
    [
      'offerings without capacity',
      only({ capacityType: 'spot', zone: 'z', price: 1, available: false }),
      ['NoOffering', 'none of 1 offering has capacity'],
    ],
    [
      'a type without capacity',
      { instanceTypes: [aGivenType('a', 0, { capacity: {} })] },
      ['InsufficientResources', 'needs 1 cpu'],
    ],
    [
      'a type smaller than its overhead',
      { instanceTypes: [aGivenType('a', 2, { overhead: { memory: '1Ti' } })] },
      ['InsufficientResources', 'needs 1Gi memory'],
    ],
    [
      'two zones at once',
      { nodePools: [aPoolRequiring(...twice)] },
      ['ContradictoryRequirements', 'leave no value for topology.kubernetes.io/zone'],
    ],
    [
      'an unknown type',
      { nodePools: [aPoolRequiring({ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['x9'] })] },
      ['NoCompatibleInstanceTypes', 'none of 3 instance types has node.kubernetes.io/instance-type In [x9]'],
    ],
    [
      'minValues larger than the number of values',
      { nodePools: [aPoolRequiring({ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 50 })] },
      ['MinValues', 'minValues requires 50 values of node.kubernetes.io/instance-type, but 3 would remain'],
    ],
    [
      'a limit of zero',
      { nodePools: [aGivenPool('general', { limits: { cpu: '0' } })] },
      ['LimitExceeded', "the pool's limit of 0 cpu leaves 0, but the smallest instance type that fits has 2"],
    ],
    [
      'a limit of zero nodes',
      { nodePools: [aGivenPool('general', { limits: { nodes: '0' } })] },
      ['LimitExceeded', "the pool's limit of 0 nodes is reached"],
    ],
    [
      'a NodePool that is being deleted',
      {
        nodePools: [
          aGivenPool('general', {}, { metadata: { name: 'general', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
        ],
      },
      ['Deleting', 'the pool is being deleted'],
    ],
  ])('%s', async (_what, over, [reason, words]) => {
    const { podErrors, newNodeClaims } = await planned(aDocument({ pods: [aGivenPod('p')], ...over }));
    expect(newNodeClaims).toEqual([]);
    expect(podErrors['default/p']).toEqual([
      { nodePool: 'general', reason, message: expect.stringContaining(words), numbers: expect.anything() },
    ]);
  });

  test('if each rule allows a zone and all rules together allow none, the message names the zones of each rule', async () => {
    const node = aGivenNode('node-1', { spec: { providerID: 'aws:///us-east-1a/i-node1' } });
    const there = [
      aPodWith('db', { ...asking({ cpu: '2' }), nodeName: 'node-1' }, { app: 'db' }),
      aPodWith('web', { ...asking({}), nodeName: 'node-1' }, { app: 'web' }),
    ];
    const affinity = { ...near({ app: 'db' }, ZONE), ...apart({ matchLabels: { app: 'web' } }, ZONE) };
    const { podErrors } = await planned(
      aDocument({ nodes: [node], nodeClaims: [aGivenClaim()], pods: [...there, aPodWith('p', { affinity })] }),
    );
    expect(podErrors['default/p']?.at(-1)?.message).toMatch(
      /zone satisfies all rules: its anti-affinity to pods with app=web in namespace default allows us-east-1b; its affinity to pods with app=db in namespace default allows us-east-1a$/,
    );
  });
});

describe('existing nodes', () => {
  const huge = aPodWith('p', asking({ cpu: '50' }));

  test('each unschedulable pod has one message why no existing node fits (B33)', async () => {
    const tainted = aGivenNode('node-9', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } });
    const { nodes: plain = [], ...claims } = nodes(3);
    const all = Array.isArray(plain) ? [...plain, tainted] : [];
    const { podErrors } = await planned(aDocument({ ...claims, nodes: all, pods: [huge] }));
    expect(podErrors['default/p']?.map(({ nodePool, reason }) => [nodePool, reason])).toEqual([
      [undefined, 'NoNode'],
      ['general', 'InsufficientResources'],
    ]);
    expect(podErrors['default/p']?.[0]).toMatchObject({
      message: 'no existing node fits: 3 have insufficient cpu (largest free 2), 1 has an untolerated taint',
      numbers: { nodes: 4, cpu: 3, taint: 1 },
    });
  });

  test.each([
    ['without a status', aGivenNode('node-1', { status: {} })],
    ['without anything allocatable', aGivenNode('node-1', { status: { allocatable: {} } })],
    [
      'that are being deleted',
      aGivenNode('node-1', { metadata: { name: 'node-1', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ],
  ])('%s get no pods', async (_what, node) => {
    const document = aDocument({ nodes: [node], nodeClaims: [aGivenClaim()], pods: [aGivenPod('p')] });
    expect(await planned(document)).toMatchObject({ existing: [], newNodeClaims: [{ pods: ['default/p'] }] });
  });

  test('with negative free resources get no pods, not even pods without requests (B19)', async () => {
    const bound = aPodWith('big', { ...asking({ cpu: '50' }), nodeName: 'node-0' });
    const { existing } = await planned(
      aDocument({ ...nodes(1), pods: [bound, aPodWith('p', { containers: [{ name: 'm' }] })] }),
    );
    expect(existing).toEqual([]);
  });
});

describe('names and prices', () => {
  test.each([
    ['pods', { pods: [aGivenPod('a'), aGivenPod('a')] }],
    ['NodePools', { nodePools: [aGivenPool(), aGivenPool()] }],
    ['instance types', { instanceTypes: [aGivenType(), aGivenType()] }],
    ['nodes', { nodes: [aGivenNode(), aGivenNode()] }],
  ])('a duplicate name of %s is bad input, with its position', async (_what, over) => {
    const { text, code } = await plan(aDocument(over));
    expect(code).toBe(2);
    expect(text).toMatch(/\[1\]\.\S+: ".+" is a duplicate of \w+\[0\]; (use|list) each (name|type) once/);
  });

  test.each([
    ['negative', -1],
    ['null', null],
    ['text', '1'],
  ])('a price that is %s is bad input', async (_what, price) => {
    const offerings = [{ capacityType: 'spot', zone: 'z', price }];
    const { text, code } = await plan(aDocument({ instanceTypes: [aGivenType('a', 2, { offerings })] }));
    expect(code).toBe(2);
    expect(text).toMatch(/offerings\[0\]\.price: /);
  });

  test.each([0, 1e308])('a price of %d is valid', async (price) => {
    const offerings = [{ capacityType: 'spot', zone: 'z', price }];
    const pods = range(5).map((at) => aGivenPod(`p${at}`));
    const output = await planned(aDocument({ instanceTypes: [aGivenType('a', 2, { offerings })], pods }));
    expect(output.newNodeClaims.map((one) => one.cheapestOffering.price)).toContain(price);
    expect(output.totalHourlyPrice).toBeGreaterThanOrEqual(price);
  });

  test('names cannot control the terminal', async () => {
    const pods = [aPodWith('a\u001b[31m\nred\u202e', { nodeSelector: { team: 'x' } })];
    const { stdout } = await runKerf(['plan', 'provisioning', '--snapshot', 'a.json'], {
      'a.json': JSON.stringify(aDocument({ pods })),
    });
    expect(stdout).toContain('a\uFFFD[31m\uFFFDred\uFFFD\n');
    expect(stdout).not.toContain('\u001b');
  });

  test.each([
    ['half a document', '{"pods":['],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['100,000 brackets', '['.repeat(100_000)],
    ['an instanceTypesFile that refers to itself', JSON.stringify(aDocument({ instanceTypesFile: 'a.json' }))],
  ])('%s is bad input', async (_what, text) => {
    const { code, text: message } = await plan(text);
    expect(code).toBe(2);
    expect(message).toMatch(/^a\.json: \w.*/);
  });
});
