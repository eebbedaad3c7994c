import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { DisruptionOutput } from '../../../lib/cli/plan/disruption/disruption-output.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool } from '../../snapshot/documents.ts';
import { type Ran, runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

const FILE = ['plan', 'disruption', '--snapshot', 'a.json'];

async function plan(
  document: Json,
  args: readonly string[] = [],
  manifests: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runKerf([...FILE, ...args], { 'a.json': JSON.stringify(document), ...manifests }, { columns: 100 });
}

async function planned(
  document: Json,
  args: readonly string[] = [],
  manifests: Readonly<Record<string, string>> = {},
): Promise<DisruptionOutput> {
  const { stdout, stderr, code } = await plan(document, ['--output', 'json', ...args], manifests);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const output: DisruptionOutput = JSON.parse(stdout);
  return output;
}

function pool(disruption: Json = {}): Json {
  return aGivenPool('general', { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }], ...disruption } });
}

/** Nodes of the pool, in the order of their names. */
function cluster(names: readonly string[], over: Json = {}): Json {
  return aDocument({
    nodePools: [pool()],
    nodes: names.map((name) => aGivenNode(name)),
    nodeClaims: names.map((name) => aGivenClaim(name)),
    ...over,
  });
}

function manifest(kind: string, object: Json): string {
  return stringify({ apiVersion: 'karpenter.sh/v1', kind, ...object });
}

/** The metadata of `aGivenClaim`, with more labels. */
function claimMetadata(node: string, more: Json): Json {
  const labels = {
    'karpenter.sh/nodepool': 'general',
    'karpenter.sh/capacity-type': 'on-demand',
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/zone': 'us-east-1a',
  };
  return { name: `claim-${node}`, labels: { ...labels, ...more } };
}

function removed({ commands }: DisruptionOutput): readonly string[] {
  return commands.flatMap(({ candidates }) => candidates.map(({ node }) => node));
}

describe('kerf plan disruption --output json', () => {
  test('G2: a command has its method, its candidates with prices, and the savings (E13)', async () => {
    const nodePools = [pool({ consolidationPolicy: 'WhenEmpty' })];
    const pods = [aGivenPod('web', { nodeName: 'node-1' })];
    const output = await planned(cluster(['node-1', 'node-2'], { nodePools, pods }));
    const place = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand', price: 0.1 };
    expect(output).toEqual({
      commands: [
        {
          method: 'emptiness',
          reason: 'Empty',
          decision: 'delete',
          candidates: [{ node: 'node-2', nodePool: 'general', ...place }],
          replacements: [],
          sourceHourlyPrice: 0.1,
          estimatedHourlySavings: 0.1,
        },
      ],
      blocked: expect.anything(),
      clusterHourlyPrice: 0.2,
      durationMs: expect.any(Number),
      notes: [],
    });
  });

  test('the sum of many prices has no rounding errors', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `node-${at}`);
    const { commands, clusterHourlyPrice } = await planned(cluster(names));
    expect(commands.map(({ sourceHourlyPrice }) => sourceHourlyPrice)).toEqual([0.9]);
    expect(clusterHourlyPrice).toBe(0.9);
  });

  test('a node that stays has its reason, with numbers', async () => {
    const document = cluster(['node-1', 'node-2'], { nodePools: [pool({ budgets: [{ nodes: '1' }] })] });
    const { commands, blocked } = await planned(document);
    expect(commands).toHaveLength(1);
    expect(blocked).toEqual([
      {
        subject: { kind: 'Node', name: 'node-2' },
        nodePool: 'general',
        reason: 'BudgetExhausted',
        message: 'the budget for Empty allows 1 disruption at once, and 1 is in progress',
        numbers: { allowed: 1, disrupting: 1 },
      },
    ]);
  });

  test('the plan does not depend on the order of nodes', async () => {
    const names = ['node-3', 'node-1', 'node-2'];
    const { durationMs: _, ...one } = await planned(cluster(names));
    const { durationMs: __, ...other } = await planned(cluster(names.toReversed()));
    expect(other).toEqual(one);
  });

  test('without nodes, nothing is planned', async () => {
    expect(await planned(aDocument())).toMatchObject({ commands: [], blocked: [], clusterHourlyPrice: 0 });
  });
});

describe('a snapshot with NodeClaims of Karpenter', () => {
  test.each<readonly [string, Json, readonly string[]]>([
    ['a claim without conditions can be consolidated at once', {}, ['node-1']],
    ['a nominated node stays', { nominations: [{ node: 'node-1' }] }, []],
    [
      'an expired nomination does not count',
      { nominations: [{ node: 'node-1', until: '2026-01-31T07:59:59Z' }] },
      ['node-1'],
    ],
    [
      'a node of a command in progress stays, even if the command is due',
      {
        commands: [
          {
            id: 'command-1',
            method: 'emptiness',
            reason: 'Empty',
            candidates: [
              {
                nodeClaim: 'claim-node-1',
                nodePool: 'general',
                node: 'node-1',
                instanceType: 'm5.large',
                zone: 'us-east-1a',
                priceUsdPerHour: 0.1,
              },
            ],
            decidedAtMs: 0,
            validateAtMs: 15_000,
          },
        ],
      },
      [],
    ],
    [
      'a pod that was bound a short time ago delays the node (D13)',
      {
        nodePools: [pool({ consolidateAfter: '10m' })],
        nodeClaims: [aGivenClaim('node-1', { lastPodEventTime: '2026-01-31T07:55:00Z' })],
      },
      [],
    ],
    [
      'options.now is the time of the decision',
      {
        options: { now: '2026-01-31T08:05:00Z' },
        nodePools: [pool({ consolidateAfter: '10m' })],
        nodeClaims: [aGivenClaim('node-1', { lastPodEventTime: '2026-01-31T07:55:00Z' })],
      },
      ['node-1'],
    ],
    ['consolidateAfter Never keeps the node', { nodePools: [pool({ consolidateAfter: 'Never' })] }, []],
    [
      'a node that is not initialized stays',
      { nodes: [aGivenNode('node-1', { metadata: { name: 'node-1', labels: {} } })] },
      [],
    ],
    [
      'a budget with a schedule is read at options.now, in UTC (E8)',
      { nodePools: [pool({ budgets: [{ nodes: '0', schedule: '0 8 * * *', duration: '1h' }] })] },
      [],
    ],
  ])('%s', async (_rule, over, names) => {
    expect(removed(await planned(cluster(['node-1'], over)))).toEqual(names);
  });

  test('a PodDisruptionBudget counts with the status of the snapshot (E4)', async () => {
    const labels = { app: 'web' };
    const pods = [aGivenPod('web', { nodeName: 'node-1' }, { metadata: { name: 'web', labels } })];
    const pdb = { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels } } };
    const held = cluster(['node-1'], { pods, pdbs: [{ ...pdb, status: { disruptionsAllowed: 0 } }] });
    expect(removed(await planned(held))).toEqual([]);
  });
});

describe('manifests over the snapshot', () => {
  const document = cluster(['node-1', 'node-2'], { nodePools: [pool({ budgets: [{ nodes: '0' }] })] });

  test.each([['-f'], ['--file']])('an edited NodePool replaces the one of the snapshot (%s)', async (flag) => {
    const files = { 'pool.yaml': manifest('NodePool', pool()) };
    expect(removed(await planned(document))).toEqual([]);
    expect(removed(await planned(document, [flag, 'pool.yaml'], files))).toEqual(['node-1', 'node-2']);
  });

  test('an edited template makes the nodes of its NodePool drift (D34)', async () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    const requirements = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1b'] }];
    const edited = aGivenPool('general', {
      template: { spec: { nodeClassRef, requirements } },
      disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] },
    });
    const pods = ['node-1', 'node-2'].map((node) => aGivenPod(`web-${node}`, { nodeName: node }));
    const arch = { 'kubernetes.io/arch': 'amd64' };
    const nodeClaims = ['node-1', 'node-2'].map((node) =>
      aGivenClaim(node, {}, { metadata: claimMetadata(node, arch) }),
    );
    const busy = { ...document, nodePools: [pool({ consolidateAfter: 'Never' })], pods, nodeClaims };
    expect((await planned(busy)).commands).toEqual([]);
    const { commands, blocked } = await planned(busy, ['-f', 'pool.yaml'], {
      'pool.yaml': manifest('NodePool', edited),
    });
    expect(commands).toMatchObject([
      { method: 'drift', reason: 'Drifted', replacements: [{ cheapestOffering: { zone: 'us-east-1b' } }] },
    ]);
    expect(blocked).toContainEqual(expect.objectContaining({ subject: { kind: 'Node', name: 'node-2' } }));
  });

  test('pods, workloads and budgets are not read from manifests, with a note', async () => {
    const nodePools = [pool({ consolidationPolicy: 'WhenEmpty' })];
    const running = cluster(['node-1'], { nodePools, pods: [aGivenPod('web', { nodeName: 'node-1' })] });
    const files = {
      'all.yaml': [
        stringify({ apiVersion: 'v1', kind: 'Pod', ...aGivenPod('web') }),
        stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'api' }, spec: {} }),
        stringify({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec: {} }),
      ].join('---\n'),
    };
    const { stdout, stderr, code } = await plan(running, ['-o', 'json', '-f', 'all.yaml'], files);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^all\.yaml:\d+ {2}Pod\/web: ignored: pods come from the snapshot$/m);
    expect(stderr).toMatch(/^all\.yaml:\d+ {2}Deployment\/api: ignored: pods come from the snapshot$/m);
    expect(stderr).toMatch(
      /^all\.yaml:\d+ {2}PodDisruptionBudget\/b: ignored: PodDisruptionBudgets come from the snapshot/m,
    );
    const output: DisruptionOutput = JSON.parse(stdout);
    expect(removed(output)).toEqual([]);
  });

  test('an invalid NodePool is bad input, and nothing is planned', async () => {
    const files = { 'pool.yaml': manifest('NodePool', pool({ consolidateAfter: 'soon' })) };
    const { stdout, stderr, code } = await plan(document, ['-f', 'pool.yaml'], files);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('consolidateAfter');
    expect(stderr).toContain('1 problem: nothing was planned.');
  });
});

describe('bad input', () => {
  test.each<readonly [string, readonly string[], RegExp]>([
    ['no snapshot', [], /^--snapshot is required: add --snapshot and its value/],
    ['a missing file', ['--snapshot', 'b.json'], /b\.json/],
    ['a snapshot that is not JSON', ['--snapshot', 'a.yaml'], /^a\.yaml: /],
    ['a list', ['--snapshot', 'list.json'], /^list\.json: /],
    ['an unknown flag', ['--snapshot', 'a.json', '--fail-on-pending'], /is not a flag of this command/],
    [
      'an unknown output',
      ['--snapshot', 'a.json', '--output', 'yaml'],
      /--output: "yaml" is not allowed; write text or json/,
    ],
  ])('%s has exit code 2, and the message has what to do', async (_what, args, message) => {
    const files = { 'a.json': JSON.stringify(aDocument()), 'a.yaml': 'pods: [', 'list.json': '[]' };
    const { stdout, stderr, code } = await runKerf(['plan', 'disruption', ...args], files);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test('kerf plan --help has both plans', async () => {
    const { stdout } = await runKerf(['plan', '--help']);
    expect(stdout).toMatch(/provisioning +Show the nodes that provisioning/);
    expect(stdout).toMatch(/disruption +Show the nodes that disruption would remove or replace/);
  });
});
