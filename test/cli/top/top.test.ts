import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newRecordFiles } from '../../../lib/cli/decisions/record-files.ts';
import { runTop } from '../../../lib/cli/top/run-top.ts';
import type { TopFlags } from '../../../lib/cli/top/top-command.ts';
import type { TopState } from '../../../lib/cli/top/top-state.ts';
import type { DecisionRecord } from '../../../lib/core/decisions/decision-record.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod } from '../../snapshot/documents.ts';
import { fakeShell } from '../fake-shell.ts';
import { type Ran, runKerf } from '../run-kerf.ts';
import { aCluster } from '../snapshot/live-cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'kerf-top-'));
afterAll(() => rmSync(folder, { recursive: true }));

function aDecisionRecord(atMs: number): DecisionRecord {
  return {
    formatVersion: 1,
    id: `${atMs}-provisioning-k3x7qa`,
    cluster: 'prod',
    function: 'provisioning',
    atMs,
    durationMs: 10,
    wokenBy: 'webhook',
    decisions: [],
    actions: [{ kind: 'create-node-claim', nodeClaims: ['general-1'] }],
    refused: {},
    refusals: [],
    version: '0.1.0',
  };
}

const DOCUMENT = aDocument({
  pods: [
    aGivenPod('web-1', { nodeName: 'node-1' }),
    aGivenPod('huge', { containers: [{ name: 'main', resources: { requests: { cpu: '900' } } }] }),
  ],
  nodes: [aGivenNode('node-1'), aGivenNode('node-2')],
  nodeClaims: [aGivenClaim('node-1'), aGivenClaim('node-2')],
});

async function top(...args: readonly string[]): Promise<Ran> {
  return runKerf(['top', '--snapshot', 'a.json', ...args], { 'a.json': JSON.stringify(DOCUMENT) });
}

test('a pipe gets all nodes once, with why each stays, and the pending pods', async () => {
  const { stdout, stderr, code } = await top();
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(/^test: 2 nodes, 1 pod, 1 pending, \$0\.2000\/h \(about \$146 a month\)\n/);
  expect(stdout).toMatch(
    /^node-1 +general +█████░░░░░ +50% +█░░░░░░░░░ +13% +m5\.large +us-east-1a +on-demand +0\.1000/m,
  );
  expect(stdout).toMatch(/^ +1 {2}huge: .*NodePool general: needs 900 cpu/m);
});

test('--output json has the same figures', async () => {
  const { stdout, code } = await top('-o', 'json');
  expect(code).toBe(0);
  const state: TopState = JSON.parse(stdout);
  expect(state).toMatchObject({ cluster: 'test', nodePools: ['general'], pods: 1, usdPerHour: 0.2 });
  expect(state.nodes[0]).toMatchObject({ name: 'node-1', cpu: { requested: 1_000, allocatable: 2_000 }, pods: 1 });
  expect(state.nodes.every(({ why }) => why !== '')).toBe(true);
});

test('what a disruption plan removes has its reason', async () => {
  const { stdout } = await top();
  expect(stdout).toMatch(/a plan deletes it: \w+/);
});

test('a NodePool that does not exist is bad input', async () => {
  expect(await top('--pool', 'genral')).toMatchObject({
    code: 2,
    stderr: '--pool: the cluster has no NodePool genral: did you mean general?\n',
  });
});

test.each(['--kubeconfig', '--context', '--region'])('a snapshot with %s is bad input', async (flag) => {
  expect(await top(flag, 'x')).toMatchObject({
    code: 2,
    stderr: `--snapshot is read in place of a cluster: leave out ${flag}\n`,
  });
});

test.each(['0', '1.5', 'often'])('--every %s is bad input', async (every) => {
  const { code, stderr } = await top('--every', every);
  expect(code).toBe(2);
  expect(stderr).toContain('write a whole number from 1 to 86400');
});

const LIVE: TopFlags = {
  snapshot: undefined,
  kubeconfig: undefined,
  context: 'prod',
  region: undefined,
  every: 10,
  table: undefined,
  bucket: undefined,
  cluster: undefined,
  profile: undefined,
  once: true,
  sort: 'price',
  pool: undefined,
  output: 'text',
};
const PORTS = { terminal: () => undefined, connect: async () => aCluster() };

test('a live cluster is read as by kerf snapshot', async () => {
  const { context, ran } = fakeShell();
  await runTop(context, LIVE, PORTS);
  const { stdout, stderr, code } = ran();
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(/^prod: 1 node, 1 pod, 1 pending, /);
  expect(stdout).toContain('huge: needs a new node, which a plan launches');
  expect(stdout).not.toContain('LATEST');
});

test('with the table of a deployment, its latest decisions are below', async () => {
  const { log } = newRecordFiles(join(folder, 'records'));
  await log.write(aDecisionRecord(Date.now() - 60_000));
  await log.write(aDecisionRecord(Date.now() - 3_600_000));
  const { context, ran } = fakeShell();
  const openLog = async () => ({ log, cluster: 'prod' });
  await runTop(context, { ...LIVE, table: 'Kerf-Table', cluster: 'prod' }, { ...PORTS, openLog });
  const [, latest = ''] = ran().stdout.split('\nLATEST\n');
  expect(latest).toMatch(/^\d\d:\d\d:\d\d {2}provisioning 1 NodeClaim created\n$/);
});

test('the table needs the name of the cluster', async () => {
  expect(await runKerf(['top', '--table', 'Kerf-Table'])).toMatchObject({
    code: 2,
    stderr: 'the latest decisions need both: --table NAME and --cluster NAME\n',
  });
});

test('the bucket needs the table', async () => {
  expect(await runKerf(['top', '--bucket', 'kerf-bodies'])).toMatchObject({
    code: 2,
    stderr: '--bucket has records of the latest decisions: add --table NAME and --cluster NAME\n',
  });
});
