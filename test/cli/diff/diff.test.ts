import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool } from '../../snapshot/documents.ts';
import { type Ran, runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

function poolManifest(spec: Json = {}, requirements: readonly Json[] = []): string {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const linux = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
  const template = { spec: { nodeClassRef, requirements: [linux, ...requirements] } };
  return stringify({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: { template, ...spec },
  });
}

async function diff(document: Json, manifest: string | undefined, args: readonly string[] = []): Promise<Ran> {
  const files = { 'a.json': JSON.stringify(document), ...(manifest !== undefined && { 'b.yaml': manifest }) };
  const given = manifest === undefined ? [] : ['-f', 'b.yaml'];
  return runKerf(['diff', '--snapshot', 'a.json', ...given, ...args], files, { columns: 80 });
}

const PENDING = aDocument({ pods: [aGivenPod('web-1')] });
const LARGE = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.2xlarge'] }];
const OPEN = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };

/** Three empty nodes. */
function emptyNodes(pool: Json): Json {
  const names = ['node-1', 'node-2', 'node-3'];
  return aDocument({
    nodePools: [aGivenPool('general', pool)],
    nodes: names.map((name) => aGivenNode(name)),
    nodeClaims: names.map((name) => aGivenClaim(name)),
  });
}

test('the same NodePool makes no difference', async () => {
  expect(await diff(PENDING, poolManifest())).toEqual({
    stdout: 'No difference: Kerf would do the same with these manifests.\n',
    stderr: '',
    code: 0,
    sleptMs: 0,
  });
});

test('another type is launched in place of the first, and costs more', async () => {
  const { stdout, code } = await diff(PENDING, poolManifest({}, LARGE));
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {2}\+ new node +general +m5\.2xlarge +spot +us-east-1a +0\.1600$/m);
  expect(stdout).toMatch(/^ {2}~ not launched +general +m5\.large +spot +us-east-1a +0\.0400$/m);
  expect(stdout).toContain('Cost: $0.0400/h before, $0.1600/h after: costs $0.1200/h more, about $88 a\nmonth.\n');
  expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
});

test('a pod that has no place any more is named with the reasons', async () => {
  const { stdout, code } = await diff(PENDING, poolManifest({ limits: { cpu: '1' } }), ['-o', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    changed: true,
    launched: [],
    notLaunched: [{ nodePool: 'general', by: 'provisioning' }],
    unschedulable: [{ pod: 'default/web-1', reasons: [{ nodePool: 'general', reason: 'LimitExceeded' }] }],
    before: { evictions: 0 },
    after: { usdPerHour: 0 },
  });
});

test('a pod that has a place now is named', async () => {
  const full = aDocument({ nodePools: [aGivenPool('general', { limits: { cpu: '1' } })], pods: [aGivenPod('web-1')] });
  const { stdout } = await diff(full, poolManifest());
  expect(stdout).toContain('  ~ web-1: 1 pod with a place now\n');
});

test('nodes beyond the replicas of a static NodePool are removed, and no longer cost (D31)', async () => {
  const before = { ...emptyNodes({ replicas: 3 }), options: { now: '2026-01-31T08:00:00Z', staticCapacity: true } };
  const { stdout, code } = await diff(before, poolManifest({ replicas: 1 }), ['-o', 'json']);
  expect(code).toBe(1);
  const { removed, after, before: now } = JSON.parse(stdout);
  expect(removed).toMatchObject([{ by: 'replicas' }, { by: 'replicas' }]);
  expect(now.usdPerHour).toBeGreaterThan(0);
  expect(after.usdPerHour).toBeCloseTo(now.usdPerHour / 3);
});

test('a new workload gets nodes', async () => {
  const workload = {
    apiVersion: 'v1',
    kind: 'Pod',
    ...aGivenPod('batch-1'),
  };
  const { stdout, code } = await diff(aDocument({}), stringify(workload), ['-o', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ launched: [{ by: 'provisioning' }], removed: [] });
});

test('nodes that a budget allows now are removed, and with --ignore-budgets all of them', async () => {
  const kept = emptyNodes({ disruption: { consolidateAfter: 'Never' } });
  const one = poolManifest({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } });
  const now = JSON.parse((await diff(kept, one, ['-o', 'json'])).stdout);
  expect(now).toMatchObject({ removed: [{ by: 'emptiness' }], after: { waiting: 2 } });
  const all = JSON.parse((await diff(kept, one, ['-o', 'json', '--ignore-budgets'])).stdout);
  expect(all.removed).toHaveLength(3);
  expect(all.after).toEqual({ usdPerHour: 0, evictions: 0, waiting: 0 });
});

test('nodes that would be removed stay', async () => {
  const { stdout } = await diff(emptyNodes(OPEN), poolManifest({ disruption: { consolidateAfter: 'Never' } }));
  expect(stdout).toMatch(/^ {2}~ node-1 \(stays\) +general +m5\.large +on-demand +us-east-1a +emptiness +0\.1000$/m);
});

test('Markdown has a table, and messages are not read as Markdown', async () => {
  const pod = aGivenPod('web-1', { nodeSelector: { 'node.kubernetes.io/instance-type': 'm5.large' } });
  const { stdout, code } = await diff(aDocument({ pods: [pod] }), poolManifest({}, LARGE), ['-o', 'markdown']);
  expect(code).toBe(1);
  expect(stdout).toContain('| | node | NodePool | type | capacity | zone | by | $/h |\n');
  expect(stdout).toContain(String.raw`- pod default/web-1 has no place any more: NodePool general: `);
  expect(stdout).toContain(String.raw`\[m5.large\]`);
});

test('a difference without manifests is bad input', async () => {
  expect(await diff(PENDING, undefined)).toMatchObject({
    stdout: '',
    stderr: 'a difference needs changed manifests: add -f PATH, for example -f nodepool.yaml\n',
    code: 2,
  });
});

test('manifests with problems are bad input', async () => {
  const { stdout, stderr, code } = await diff(PENDING, poolManifest({ weight: 1_000 }));
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toContain('nothing was planned');
});

test('the snapshot and the manifests are not both read from standard input', async () => {
  const { stderr, code } = await runKerf(['diff', '--snapshot', '-', '-f', '-'], { '-': '{}' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^the snapshot and the manifests both come from standard input/);
});
