import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, formatExactTime, HOUR_MS } from '../../../lib/apis/formats/time.ts';
import { newRecordFiles } from '../../../lib/cli/decisions/record-files.ts';
import { runStatus } from '../../../lib/cli/status/run-status.ts';
import { MARKED_FUNCTIONS } from '../../../lib/core/status/function-mark.ts';
import { statusSource } from '../../../lib/operator/wiring/records/status.ts';
import { DynamoDbDecisionLog } from '../../../lib/providers/dynamodb/decision-log.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../../fakes/memory-bodies.ts';
import { runKerf } from '../run-kerf.ts';

const root = mkdtempSync(join(tmpdir(), 'kerf-status-'));
afterAll(() => rmSync(root, { recursive: true }));

function marksOf(cluster: string, atMs = NOW_MS) {
  return MARKED_FUNCTIONS.map((name) => ({
    ...({ formatVersion: 1, cluster, function: name, atMs, version: '1.2.3', failures: 0, problems: [] } as const),
    gauges: { Nodes: 3, HourlyCostUsd: 0.25, PendingPods: 1 },
  }));
}

/** From the fourth minute on, EC2 does not list instances. Pods run until the end. */
const REFUSED = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
      expireAfter: Never
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  role: node
  subnetSelectorTerms: [{tags: {d: x}}]
  securityGroupSelectorTerms: [{tags: {d: x}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: a, image: x, resources: {requests: {cpu: "1", memory: 1Gi}}}]
---
apiVersion: kerf.dev/v1alpha1
kind: Scenario
metadata: {name: refused}
spec:
  duration: 30m
  events:
    - {at: 4m, fault: {kind: calls-fail, error: forbidden, calls: [cloud.describeInstances]}}
    - {at: 29m, scale: {deployment: web, replicas: 2}}
`;

describe('kerf status of a folder', () => {
  const folder = join(root, 'one');
  beforeAll(async () => {
    const { log } = newRecordFiles(folder);
    for (const mark of marksOf('demo')) await log.mark(mark);
  });

  test('shows one healthy cluster in 80 columns', async () => {
    const { stdout, code } = await runKerf(['status', '--records', folder], {}, { columns: 80 });
    expect(code).toBe(0);
    expect(stdout).toContain('Cluster demo\n  mode          active, Kerf 1.2.3\n  provisioning  last run 0s ago');
    expect(stdout).toContain('fleet         3 nodes, $0.2500/h, 1 pod pending');
    expect(stdout).toContain('Healthy as far as it was read: see "not read".');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('shows what EC2 has refused for the whole simulation, although the log has it once an hour', async () => {
    const records = join(root, 'refused');
    await runKerf(['simulate', 'world.yaml', '--records', records], { 'world.yaml': REFUSED });
    const { stdout, code } = await runKerf(['status', '--records', records], {}, { columns: 80 });
    expect(code).toBe(1);
    expect(stdout).toMatch(/lifecycle {5}last run .*, 1 failure$/m);
    expect(stdout).toMatch(/lifecycle has failed for 2\dm: read instances:\s+cloud\.describeInstances/);
  });

  test('has exit code 1 and a table if one of several clusters is not healthy', async () => {
    const two = join(root, 'two');
    const { log } = newRecordFiles(two);
    for (const mark of [...marksOf('a'), ...marksOf('b').slice(0, 3)]) await log.mark(mark);
    const { stdout, code } = await runKerf(['status', '--records', two], {}, { columns: 80 });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^a +healthy +active/m);
    expect(stdout).toMatch(/^b +wrong +active +never/m);
    expect(stdout).toContain('  - b: termination has not run');
    const json = await runKerf(['status', '--records', two, '--cluster', 'a', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ healthy: true, clusters: [{ cluster: 'a', nodes: 3 }] });
  });

  test('names a cluster that was removed from the deployment, and does not count it', async () => {
    const former = join(root, 'former');
    const { log } = newRecordFiles(former);
    for (const mark of marksOf('demo')) await log.mark({ ...mark, served: ['demo'] });
    for (const mark of marksOf('old', NOW_MS - 5 * DAY_MS)) await log.mark(mark);
    const { stdout, code } = await runKerf(['status', '--records', former], {}, { columns: 80 });
    expect(code).toBe(0);
    expect(stdout).toContain('  left out      old: its last run was 5d ago.');
    const json = await runKerf(['status', '--records', former, '-o', 'json']);
    const lastRunAt = formatExactTime(NOW_MS - 5 * DAY_MS);
    expect(JSON.parse(json.stdout)).toMatchObject({ healthy: true, leftOut: [{ cluster: 'old', lastRunAt }] });
    const named = await runKerf(['status', '--records', former, '--cluster', 'old']);
    expect(named.code).toBe(1);
    expect(named.stdout).toContain('  - old: the last run of lifecycle was 5d ago');
  });

  test('writes metrics in the text format of Prometheus', async () => {
    const { stdout, code } = await runKerf(['status', '--records', folder, '-o', 'prometheus']);
    expect(code).toBe(0);
    expect(stdout).toContain('# TYPE kerf_healthy gauge\nkerf_healthy{cluster="demo"} 1\n');
    expect(stdout).toContain(
      `kerf_last_run_timestamp_seconds{cluster="demo",function="lifecycle"} ${NOW_MS / 1_000}\n`,
    );
    expect(stdout).toContain('kerf_problem{cluster="demo",problem="DrainStuck"} 0\n');
    for (const line of stdout.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) kerf_\w+ .+|kerf_\w+(\{(\w+="[^"]*",?)+\})? [\d.]+)$/);
  });

  test('needs a table or a folder', async () => {
    const { stderr, code } = await runKerf(['status']);
    expect(code).toBe(2);
    expect(stderr).toContain('--table NAME of a deployment, or --records DIR');
  });
});

test('an open decision counts if its body cannot be read', async () => {
  const table = inProcessTable({ clock: { now: () => NOW_MS } });
  const store = new DynamoDbNodeClaimStore({ ...table, bodies: memoryBodies(), maxItemBytes: 100 });
  const atMs = NOW_MS - 3 * HOUR_MS;
  await store.recordDecision(aLaunchDecision({ id: 'in-the-bucket', cluster: 'demo', atMs }), 0);
  const beside = { region: 'us-east-1', clusters: async () => ['demo'], queues: async () => [] };
  const { openDecisionsMs } = await statusSource(table, beside).cluster('demo');
  expect(openDecisionsMs).toEqual([atMs]);
});

test('a table has the marks, leases, open decisions and the catalogue; what is refused is named', async () => {
  const table = inProcessTable({ clock: { now: () => NOW_MS } });
  const log = new DynamoDbDecisionLog(table);
  for (const mark of marksOf('demo')) await log.mark(mark);
  const source = statusSource(table, {
    region: 'us-east-1',
    clusters: async () => ['demo'],
    queues: async () => {
      throw new Error('not authorized to list queues');
    },
  });
  let stdout = '';
  const process = { stdout: { write: (text: string) => void (stdout += text) }, stderr: { write() {} }, exitCode: 0 };
  const context = {
    process,
    columns: 80,
    color: false,
    readText: () => '',
    writeText() {},
    filesIn: () => undefined,
    sleep: async () => {},
  };
  await runStatus(context, { table: 'T', output: 'text' }, async () => ({ source, nowMs: NOW_MS }));
  expect(stdout).toContain('open          0 decisions, 0 disruption commands');
  expect(stdout).toContain('not read      dead letters: not authorized to list queues');
  expect(stdout).toContain('there is no catalogue of instance types and prices');
  expect(process.exitCode).toBe(1);
});
