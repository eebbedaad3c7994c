import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { summaryRows } from '../../../lib/cli/simulate/summary-rows.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { aDeployment, aJob, aPool } from '../../builders/cluster-manifests.ts';
import { aNodeClass, asking } from '../../builders/node-pools.ts';
import { type Ran, runKerf } from '../run-kerf.ts';

type Terminal = Parameters<typeof runKerf>[2];

function yaml(...documents: readonly object[]): string {
  return documents.map((document) => stringify(document)).join('---\n');
}

function aWorkload(name: string, replicas: number, cpu = '1'): object {
  return { apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment(name, replicas, cpu) };
}

const AGENT = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent', resources: { requests: { cpu: '50m' } } }] },
    },
  },
};

const GATED = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'gated', namespace: 'default' },
  spec: { schedulingGates: [{ name: 'example.com/later' }], containers: [{ name: 'main' }] },
};

const ran = new Map<string, Promise<Ran>>();

/** Runs a command once for all tests that only read what it printed. */
async function simulate(text: string, flags: readonly string[] = [], terminal?: Terminal): Promise<Ran> {
  const key = JSON.stringify([text, flags]);
  const run =
    (terminal === undefined ? ran.get(key) : undefined) ??
    runKerf(['simulate', 'a.yaml', ...flags], { 'a.yaml': text }, terminal);
  if (terminal === undefined) ran.set(key, run);
  return run;
}

async function result(text: string, ...flags: readonly string[]): Promise<SimulationResult> {
  const { stdout } = await simulate(text, ['-o', 'json', ...flags]);
  const parsed: SimulationResult = JSON.parse(stdout);
  return parsed;
}

const CLUSTER = yaml(aPool(), aNodeClass(), aWorkload('web', 3), AGENT);

describe('the summary', () => {
  test('has the nodes, the cost and the waits in words; pods of DaemonSets do not count in the waits', async () => {
    const { stdout } = await simulate(CLUSTER);
    expect(stdout).toMatch(/ {2}nodes +1 launched, 1 at the peak \(at 2s\), 1 at the end/);
    expect(stdout).toMatch(/ {2}pods +3 running, 0 pending, and 1 of DaemonSets/);
    expect(stdout).toMatch(/ {2}pending to running +median .*\(3 pods\)/);
    expect(stdout).toMatch(/ {2}utilisation +cpu \d+ %, memory 0 %; DaemonSets: cpu 1 %, memory 0 %/);
    expect(stdout).toMatch(/simulated time +\dm, then only expiry remained \(--for 24h goes on\)/);
    expect(stdout).toMatch(/ {2}at the end +1 node for \$0\.\d{4}\/h, \$\d+ a month \(730 h\)/);
    expect(stdout).not.toContain('create-node-claim');
  });

  test('shows the zone and the GPUs of nodes, and fits 80 columns', async () => {
    const pool = aPool();
    const { template } = pool.spec;
    const requirements = [
      asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
      asking('node.kubernetes.io/instance-type', 'In', 'g5.12xlarge'),
      asking('topology.kubernetes.io/zone', 'In', 'us-east-1b'),
    ];
    const gpus = aPool({ template: { ...template, spec: { ...template.spec, requirements } } });
    const web = aDeployment('web', 1);
    const containers = [{ name: 'web', resources: { limits: { 'nvidia.com/gpu': '2' } } }];
    const spec = { ...web.spec, template: { ...web.spec.template, spec: { containers } } };
    const { stdout } = await simulate(
      yaml(gpus, aNodeClass(), { apiVersion: 'apps/v1', kind: 'Deployment', ...web, spec }),
      ['--for', '5m'],
      { columns: 80 },
    );
    expect(stdout).toMatch(/g5\.12xlarge +4 A10G +on-demand +us-east-1b/);
    const [, summary = ''] = stdout.split('─\n');
    expect(summary.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('has the cost of each NodePool if there are several, and their sum is the total', async () => {
    const batch = { ...aPool({ weight: 10, limits: { cpu: '2' } }), metadata: { name: 'batch' } };
    const { costByNodePool, totalCostUsd } = await result(
      yaml(aPool(), batch, aNodeClass(), aWorkload('web', 3)),
      '--for',
      '1h',
    );
    expect(costByNodePool.map(({ nodePool }) => nodePool)).toEqual(['batch', 'general']);
    expect(costByNodePool.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(totalCostUsd, 5);
  });

  test('groups pending pods by their reasons, as kerf plan does', async () => {
    const text = yaml(aPool(), aNodeClass(), aWorkload('huge', 30, '900'), GATED);
    const { podsPendingByReason, podsPending } = await result(text, '--for', '2m');
    expect(podsPending).toHaveLength(31);
    expect(podsPendingByReason.map(({ count, reasons }) => [count, reasons])).toEqual([
      [30, [expect.stringMatching(/^NodePool general: needs 900 cpu/)]],
      [1, ['it has scheduling gates']],
    ]);
    const { stdout } = await simulate(text, ['--for', '2m']);
    expect(stdout).toMatch(/Pending pods\n {2}huge-\S+ and 29 more\n {6}NodePool general: needs 900 cpu/);
  });
});

describe('the timeline', () => {
  test('the same refusal of many pods is one line with their number', async () => {
    const { stdout } = await simulate(yaml(aPool(), aNodeClass(), aWorkload('huge', 30, '900')), ['--for', '2m']);
    const blocked = stdout.split('\n').filter((line) => line.includes('  blocked  '));
    expect(blocked).toHaveLength(1);
    expect(blocked[0]).toContain('Deployment default/huge: 30 pods blocked in NodePool general: needs 900 cpu');
  });

  test('the same refusal of many workloads is one line too', async () => {
    const many = Array.from({ length: 5 }, (_, index) => aWorkload(`huge-${index}`, 2, '900'));
    const { stdout } = await simulate(yaml(aPool(), aNodeClass(), ...many), ['--for', '2m']);
    const blocked = stdout.split('\n').filter((line) => line.includes('  blocked  '));
    expect(blocked).toHaveLength(1);
    expect(blocked[0]).toContain(
      'Deployment default/huge-0, Deployment default/huge-1, Deployment default/huge-2 and 2',
    );
  });

  test('of more than six hours has a line for each hour in which nodes or pods changed', async () => {
    const { stdout } = await simulate(CLUSTER, ['--for', '7h']);
    const lines = stdout.split('\n').filter((line) => /^\d\d:/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^01:00:00 {2}hour +1 node \(\+1\), 4 pods running, 0 pending; \$0\.\d+\/h, \$0\.\d+ so far$/,
    );
    expect(stdout).toMatch(/simulated time +7h\n/);
  });

  test('--show decisions has no steps between the decision and its result; --show summary has no entries', async () => {
    const kinds = async (show: string) =>
      new Set((await result(CLUSTER, '--show', show)).timeline.map(({ kind }) => kind));
    expect(await kinds('decisions')).toEqual(new Set(['create-node-claim', 'blocked']));
    expect(await kinds('summary')).toEqual(new Set());
    expect(await kinds('all')).toContain('node-ready');
  });

  test('an amount of detail that does not exist ends with exit code 2', async () => {
    const { code, stderr } = await simulate(CLUSTER, ['--show', 'everything']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/everything/);
  });
});

describe('disruption in words', () => {
  const deeds = { commandsExecuted: 0, commandsRejected: 0, nodesReplaced: 0, replacements: 0, savedUsdPerHour: 0 };

  test.each<readonly [Partial<SimulationResult['disruption']>, string | undefined]>([
    [{}, undefined],
    [{ commandsExecuted: 1, savedUsdPerHour: 0.3 }, '1 command, saves $0.3000/h'],
    [
      { commandsExecuted: 3, commandsRejected: 1, nodesReplaced: 5, replacements: 2, savedUsdPerHour: 0.3 },
      '3 commands, 5 nodes replaced by 2, saves $0.3000/h; 1 command rejected',
    ],
    [
      { commandsExecuted: 1, nodesReplaced: 1, replacements: 1, savedUsdPerHour: -0.01 },
      '1 command, 1 node replaced by 1, costs $0.0100/h more',
    ],
    [{ commandsExecuted: 1, nodesReplaced: 1, replacements: 1 }, '1 command, 1 node replaced by 1, at the same cost'],
    [{ commandsRejected: 2 }, '2 commands rejected'],
  ])('%j', async (some, words) => {
    const rows = new Map(summaryRows({ ...(await result(CLUSTER)), disruption: { ...deeds, ...some } }));
    expect(rows.get('disruption')).toBe(words);
  });

  test('removed nodes and evictions have the reasons of disruption', async () => {
    const counts = { drifted: 1, empty: 4, underutilized: 5 };
    const rows = new Map(
      summaryRows({ ...(await result(CLUSTER)), removedByReason: counts, evictedByReason: { underutilized: 9 } }),
    );
    expect(rows.get('removed')).toBe('5 underutilized, 4 empty, 1 drifted');
    expect(rows.get('evictions')).toBe('9 pods: 9 underutilized');
  });
});

describe('--output json', () => {
  test('has a format version, and every field of the summary', async () => {
    const { timeline, ...summary } = await result(CLUSTER);
    expect(timeline.length).toBeGreaterThan(10);
    expect(summary.formatVersion).toBe(1);
    expect(Object.keys(summary).toSorted()).toMatchInlineSnapshot(`
      [
        "actions",
        "costByNodePool",
        "daemonSetPodsRunning",
        "disruption",
        "durationSeconds",
        "ended",
        "evictedByReason",
        "formatVersion",
        "instances",
        "jobsFailed",
        "launchesRefused",
        "nodesAtEnd",
        "nodesAtPeak",
        "nodesLaunched",
        "nodesShuttingDown",
        "notes",
        "peakAtSeconds",
        "pendingToRunningSeconds",
        "podsPending",
        "podsPendingByReason",
        "podsRunning",
        "podsUnreachable",
        "region",
        "removedByReason",
        "seed",
        "simulatedSeconds",
        "spotInterruptions",
        "totalCostUsd",
        "usdPerHourAtEnd",
        "usdPerMonthAtEnd",
        "usdPerMonthAtThisRate",
        "utilisation",
      ]
    `);
  });

  test('is the same, byte for byte, each time', async () => {
    const [first, second] = [await simulate(CLUSTER, ['-o', 'json']), await simulate(CLUSTER, ['-o', 'json'], {})];
    expect(first.stdout).toBe(second.stdout);
  });
});

const HUGE_POD = yaml(aWorkload('huge', 1, '900'));
const HUGE = yaml(aPool(), aNodeClass(), aWorkload('huge', 1, '900'));

const late = { apiVersion: 'batch/v1', kind: 'Job', ...aJob('late', { activeDeadlineSeconds: 10 }) };
const LATE = yaml(aPool(), aNodeClass(), late);

describe('--fail-on-pending', () => {
  test.each([
    { what: 'all pods run', text: CLUSTER, flags: [], code: 0 },
    { what: 'a pod is refused', text: HUGE, flags: ['--for', '2m'], code: 1 },
    {
      what: 'a pod is refused while other nodes start',
      text: `${CLUSTER}---\n${HUGE_POD}`,
      flags: ['--for', '20s'],
      code: 1,
    },
    { what: 'the nodes of the pods still start at the end', text: CLUSTER, flags: ['--for', '20s'], code: 0 },
    { what: 'a pod has a scheduling gate', text: yaml(aPool(), aNodeClass(), GATED), flags: ['--for', '10m'], code: 0 },
    { what: 'there is no NodePool', text: yaml(aWorkload('web', 1)), flags: ['--for', '2m'], code: 1 },
  ])('$what', async ({ text, flags, code }) => {
    expect((await simulate(text, ['--fail-on-pending', ...flags])).code).toBe(code);
  });

  test('the deadline of a Job passes before its pod has a node, so that no pod is pending', async () => {
    const { code, stdout } = await simulate(LATE, ['--fail-on-pending', '--for', '2m']);
    expect(code).toBe(1);
    expect(stdout).toContain('0 running, 0 pending');
    expect(stdout).toContain('1 failed: Job default/late (DeadlineExceeded)');
    expect(stdout).toContain(
      '00:00:10  failed      Job default/late: DeadlineExceeded; 0 of its pods succeeded, 0 failed',
    );
    expect((await simulate(LATE, ['--for', '2m'])).code).toBe(0);
  });

  test('without it, pending pods are no failure', async () => {
    expect((await simulate(HUGE, ['--for', '2m'])).code).toBe(0);
  });
});

function atOnce(stop: () => void): () => void {
  stop();
  return () => {};
}

describe('Ctrl-C', () => {
  test('prints the summary so far, and gives exit code 130', async () => {
    const { stdout, code } = await simulate(CLUSTER, ['--for', '24h', '--fail-on-pending'], { onInterrupt: atOnce });
    expect(code).toBe(130);
    expect(stdout).toMatch(/simulated time +0s of 24h: interrupted/);
  });

  test('completes the JSON', async () => {
    const { stdout, code } = await simulate(CLUSTER, ['-o', 'json'], { onInterrupt: atOnce });
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'interrupted', simulatedSeconds: 0, timeline: [] });
  });

  test('does what it did before when the simulation has ended', async () => {
    let restored = 0;
    await simulate(CLUSTER, [], { onInterrupt: () => () => void (restored += 1) });
    expect(restored).toBe(1);
  });
});

test('nothing is written to standard error if it is not a terminal', async () => {
  expect((await simulate(CLUSTER, ['--for', '1h'])).stderr).toBe('');
});
