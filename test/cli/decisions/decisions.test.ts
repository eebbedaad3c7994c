import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import { newRecordFiles, recordFiles } from '../../../lib/cli/decisions/record-files.ts';
import type { DecisionRecord } from '../../../lib/core/decisions/decision-record.ts';
import type { PageData } from '../../../lib/page/fleet/frame.ts';
import { fleetHistory } from '../../../lib/page/fleet/history.ts';
import { aDeployment, aPool } from '../../builders/cluster-manifests.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { decisionLogContract } from '../../contract/decisions/decision-log.ts';
import { type Ran, runKerf } from '../run-kerf.ts';

const root = mkdtempSync(join(tmpdir(), 'kerf-records-'));
const folder = join(root, 'records');
afterAll(() => rmSync(root, { recursive: true }));

let contracts = 0;
decisionLogContract('files', async () => newRecordFiles(join(root, `contract-${(contracts += 1)}`)));

const SCENARIO = {
  apiVersion: 'kerf.dev/v1alpha1',
  kind: 'Scenario',
  metadata: { name: 'short' },
  spec: { duration: '20m', events: [{ at: '5m', scale: { deployment: 'default/web', replicas: 0 } }] },
};
const MANIFESTS = [
  aPool(),
  aNodeClass(),
  { apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment('web', 3) },
  { apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment('huge', 1, '900') },
  SCENARIO,
];
const FILES = { 'a.yaml': MANIFESTS.map((one) => stringify(one)).join('---\n') };

async function kerf(...args: readonly string[]): Promise<Ran> {
  return runKerf([...args, '--records', folder], FILES, { columns: 80 });
}

async function listed(...args: readonly string[]): Promise<readonly DecisionRecord[]> {
  const { stdout, stderr, code } = await kerf('decisions', ...args, '-o', 'json');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const { records }: { readonly records: readonly DecisionRecord[] } = JSON.parse(stdout);
  return records;
}

describe('the records of a simulation', () => {
  let created: DecisionRecord;
  beforeAll(async () => {
    const { code, stderr } = await kerf('simulate', 'a.yaml', '--show', 'summary');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const [first] = (await listed()).filter(({ actions }) => actions.some(({ kind }) => kind === 'create-node-claim'));
    if (first === undefined) throw new TypeError('no NodeClaim was created');
    created = first;
  });

  test('are shown as a page, from the first decision to the last one', async () => {
    const { code, stderr, writtenFiles } = await kerf('replay', '--report', 'day.html');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'wrote day.html: open it in a browser\n' });
    const html = writtenFiles?.get('day.html') ?? '';
    const data: PageData = JSON.parse(/id="data">(.*?)<\/script>/.exec(html)?.[1] ?? '');
    const records = await listed('--since', '7d');
    expect(data).toMatchObject({ live: false, recorded: true });
    expect(data.title).toContain(`Cluster simulated from 2026-01-01T00:00:01Z`);
    const history = fleetHistory();
    history.add(data.frames);
    const running = data.frames.find(({ figures }) => figures?.podsRunning === 3)?.at ?? 0;
    expect(running).toBeGreaterThan(30);
    const full = history.stateAt(running);
    expect([...full.nodes.values()].map(({ state, pool }) => [state, pool])).toEqual([['ready', 'general']]);
    expect(full.pending.map(({ workload, count }) => [workload, count])).toEqual([['Deployment default/huge', 1]]);
    expect(full.pending[0]?.reason).toContain('900 cpu');
    const end = history.stateAt(data.durationSeconds);
    expect(end.nodes.size).toBe(0);
    expect(end.figures.usdPerHour).toBe(0);
    expect(end.figures.costUsd).toBeGreaterThan(0);
    expect(records.length).toBeGreaterThan(5);
  });

  test('are served as a page on this machine until Ctrl-C', async () => {
    const interrupted = {
      onInterrupt(stop: () => void) {
        stop();
        return () => {};
      },
    };
    const { code, stderr } = await runKerf(['replay', '--web', '--records', folder], FILES, interrupted);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Recorded page: http:\/\/127\.0\.0\.1:\d+\/\nCtrl-C ends it\.\n$/);
  });

  test('as a page take no decision and no manifests', async () => {
    const { code, stderr } = await kerf('replay', created.id, '--report', 'day.html');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: '--web and --report show all that is recorded: leave out DECISION and -f\n',
    });
  });

  test('show what ran in 80 columns, and the sum of the rows is the total', async () => {
    const { stdout, code } = await kerf('cost', '--by', 'instance-type');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^instance type +nodes +node hours +\$\/h each +cost +share +requested$/m);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const { stdout: json } = await kerf('cost', '--by', 'zone', '-o', 'json');
    const { rows, total }: { rows: { usd: number }[]; total: { usd: number } } = JSON.parse(json);
    expect(total.usd).toBeGreaterThan(0);
    expect(rows.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(total.usd, 3);
    const { stdout: pods } = await kerf('cost', '--by', 'namespace');
    expect(pods).toMatch(/^namespace +cpu hours +GiB hours +cost +share$/m);
    expect(pods).toMatch(/^default +\d/m);
    const { stdout: shares } = await kerf('cost', '--by', 'namespace', '-o', 'json');
    const costs: { rows: { usd: number }[]; total: { usd: number } } = JSON.parse(shares);
    expect(costs.total.usd).toBeCloseTo(total.usd, 3);
    const { stderr: unnamed } = await kerf('cost', '--by', 'label=team');
    expect(unnamed).toBe('no usage of label team is recorded in this time: name it in usageLabels of the cluster\n');
    const { stderr: wrong, code: refused } = await kerf('cost', '--by', 'team');
    expect({ wrong, refused }).toEqual({ wrong: expect.stringContaining('namespace or label=KEY'), refused: 2 });
    const { stdout: none } = await kerf('cost', '--since', '0s');
    expect(none).toContain('No instance of Kerf ran from');
  });

  test('are listed in 80 columns, oldest first', async () => {
    const { stdout } = await kerf('decisions');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toContain('not shown at this width');
    expect(lines[0]).toMatch(/^id {6}time \(UTC\) {6}function +decided$/);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const ids = (await listed()).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(stdout).toContain('1 NodeClaim created');
  });

  test('are found by NodePool, reason, pod, node and time', async () => {
    const all = await listed();
    const [claim = ''] = created.actions[0]?.nodeClaims ?? [];
    const [pod = ''] = created.actions[0]?.pods ?? [];
    const counts = {
      claim: (await listed('--node', claim)).length,
      pod: (await listed('--pod', pod)).length,
      short: (await listed('--pod', pod.split('/')[1] ?? '')).length,
      pool: (await listed('--pool', 'general')).length,
      reason: (await listed('--reason', 'InsufficientResources')).length,
      none: (await listed('--pool', 'other')).length,
      late: (await listed('--since', new Date(created.atMs + 1).toISOString())).length,
    };
    expect(counts.claim).toBeGreaterThan(5);
    expect(counts.pod).toBeGreaterThan(0);
    expect(counts.short).toBe(counts.pod);
    expect(counts.pool).toBeGreaterThanOrEqual(counts.claim);
    expect(counts.reason).toBe(1);
    expect(counts.none).toBe(0);
    expect(counts.late).toBeLessThan(all.length);
    expect((await kerf('decisions', '--pool', 'other')).stdout).toMatch(/^no decisions: none of \d+ is about that\n$/);
  });

  test('one is shown by its id, the end of its id and the id of its decision, with what followed', async () => {
    const short = created.id.slice(created.id.lastIndexOf('-') + 1);
    const [decision = ''] = created.decisions;
    const shown = await Promise.all([created.id, short, decision].map(async (name) => kerf('show', name)));
    expect(new Set(shown.map(({ stdout }) => stdout)).size).toBe(1);
    const { stdout, code } = shown[0] ?? { stdout: '', code: 1 };
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.replaceAll(/\n +/g, ' ')).toMatch(
      /Cost: \$0\.0000\/h before, \$[\d.]+\/h after; the new nodes cost \$[\d.]+\/h, [\d.]+ % above the lower bound \$[\d.]+\/h\. /,
    );
    expect(stdout).toMatch(/NodeClaim general-\w+ created/);
    expect(stdout).toMatch(/InsufficientResources: 1 pod by NodePool general:\n {4}default\/huge-/);
    expect(stdout).toContain('\nAfter\n');
    expect(stdout).toContain('1 NodeClaim released');
    const json = await kerf('show', short, '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ record: { id: created.id }, before: [] });
  });

  test('a pod, a node and a NodeClaim are explained at a time, in 80 columns', async () => {
    const [claim = ''] = created.actions[0]?.nodeClaims ?? [];
    const [pod = ''] = created.actions[0]?.pods ?? [];
    const removed = await kerf('why', 'nodeclaim', claim, '--at', '0s');
    expect({ stderr: removed.stderr, code: removed.code }).toEqual({ stderr: '', code: 0 });
    expect(removed.stdout).toMatch(/^nodeclaim general-\w+: BeingRemoved\n {2}Disruption deleted its NodeClaim at/);
    expect(removed.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const at = new Date(created.atMs).toISOString();
    const placed = await kerf('why', 'pod', pod.split('/')[1] ?? '', '--at', at, '-o', 'json');
    expect(JSON.parse(placed.stdout)).toMatchObject({
      state: 'HasPlace',
      subject: { kind: 'Pod', namespace: 'default' },
    });
    const unknown = await kerf('why', 'node', 'unknown', '--at', '0s');
    expect(unknown.stderr).toMatch(/none of \d+ records until \S+ names node unknown; .*; check the name$/m);
    expect(unknown.code).toBe(2);
  });

  test('a time as the commands print it includes the decisions of its second', async () => {
    const [pod = ''] = created.actions[0]?.pods ?? [];
    const printed = formatTime(created.atMs);
    expect(printed).not.toBe(new Date(created.atMs).toISOString());
    const { stdout, code } = await kerf('why', 'pod', pod.split('/')[1] ?? '', '--at', printed);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^pod \S+: HasPlace\n/);
    expect((await kerf('snapshot', '--at', printed)).code).toBe(0);
  });

  test('a pod that has its records at another time is not explained, with that time as the answer', async () => {
    const [pod = ''] = created.actions[0]?.pods ?? [];
    const early = await kerf('why', 'pod', pod.split('/')[1] ?? '', '--at', '2025-12-31T00:00:00Z');
    expect(early.stderr).toBe(
      `no record until 2025-12-31T00:00:00Z names pod ${pod}; the first record that names it is of ${formatTime(created.atMs)}: write --at ${formatTime(created.atMs)}\n`,
    );
  });

  test('all decisions with a snapshot are decided again in the same way', async () => {
    const { stdout, code } = await kerf('replay');
    const stored = (await listed()).filter(({ snapshot }) => snapshot !== undefined).length;
    expect(stored).toBeGreaterThan(2);
    expect({ stdout, code }).toEqual({
      stdout: `${stored} decisions replayed: ${stored} equal, 0 different\n`,
      code: 0,
    });
  });

  test('a stored snapshot is written as of a time, and can be planned', async () => {
    const { stdout, stderr, code } = await kerf('snapshot', '--at', '0s');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^the cluster as (provisioning|disruption) saw it at 2026-01-01T00:\S+ \(\S+\)\n$/);
    expect(JSON.parse(stdout)).not.toHaveProperty('decided');
    const first = await kerf('snapshot', '--at', new Date(created.atMs).toISOString());
    const planned = await runKerf(['plan', 'provisioning', '--snapshot', 'then.json', '-o', 'json'], {
      'then.json': first.stdout,
    });
    expect(planned.code).toBe(0);
    expect(JSON.parse(planned.stdout).newNodeClaims).toHaveLength(
      created.actions.filter(({ kind }) => kind === 'create-node-claim').length,
    );
    const early = await kerf('snapshot', '--at', new Date(created.atMs - 1).toISOString());
    expect({ code: early.code, stderr: early.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('no snapshot of cluster simulated is stored until'),
    });
  });

  test('a decision with a changed manifest is different, and says where', async () => {
    const limited = stringify({ ...aPool({ limits: { cpu: '0' } }) });
    const { stdout, stderr, code } = await runKerf(['replay', created.id, '-f', 'b.yaml', '--records', folder], {
      'b.yaml': limited,
    });
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
    expect(stdout).toContain('  actions[0]\n    - {"kind":"create-node-claim"');
    expect(stdout).toContain('1 decision replayed with these manifests: 0 equal, 1 different');
  });

  test('a decision with the NodePool of a file as it was is equal, although the file has no UID', async () => {
    const { nodePools } = JSON.parse(gunzipSync(readFileSync(join(folder, created.snapshot ?? ''))).toString('utf8'));
    const [pool] = nodePools;
    const { uid, ...metadata } = pool.metadata;
    expect(uid).toBeDefined();
    const file = stringify({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...pool, metadata });
    const { stdout, code } = await runKerf(['replay', created.id, '-f', 'b.yaml', '--records', folder], {
      'b.yaml': file,
    });
    expect({ stdout, code }).toEqual({ stdout: expect.stringContaining('1 equal, 0 different'), code: 0 });
  });

  test('a changed snapshot is found', async () => {
    const file = join(folder, created.snapshot ?? '');
    const before = readFileSync(file);
    const text = gunzipSync(before).toString('utf8');
    writeFileSync(file, gzipSync(text.replace('"message":"', '"message":"not ')));
    const { stdout, code } = await kerf('replay', created.id, '-o', 'json');
    writeFileSync(file, before);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ replayed: 1, different: [{ id: created.id }] });
  });

  test('a plan reads a stored snapshot', async () => {
    const [file = ''] = readdirSync(join(folder, 'snapshots/simulated'));
    const text = gunzipSync(readFileSync(join(folder, 'snapshots/simulated', file))).toString('utf8');
    const { code } = await runKerf(['plan', 'provisioning', '--snapshot', 's.json'], { 's.json': text });
    expect(code).toBeLessThan(2);
  });

  test.each([
    [['decisions'], 'name the records: --records DIR of a simulation, or --table NAME of a deployment'],
    [['why', 'pod', 'web', '--at', '2h'], 'name the records: --records DIR of a simulation, or --table NAME'],
    [['why', 'pod', 'web'], 'add --snapshot FILE, or for the past --at TIME with --records DIR or --table NAME'],
    [['decisions', '--table', 'kerf'], '--table has the records of several clusters: add --cluster NAME'],
    [['decisions', '--records', join(root, 'nothing')], 'has no decisions.jsonl: name a folder'],
    [['show', 'unknown', '--records', folder], 'no record of cluster simulated has the name unknown'],
    [['replay', 'unknown', '--records', folder], 'no record of cluster simulated has the name unknown'],
    [['decisions', '--since', 'soon', '--records', folder], '"soon" is not a time: write 24h, 7d or'],
    [['simulate', 'a.yaml', '--records', folder], 'has the records of another simulation: name another folder'],
  ])('%j is bad input, and the answer says what to do', async (args, message) => {
    const { stderr, code } = await runKerf(args, FILES);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(2);
  });

  test('a decision without a snapshot cannot be replayed, and the answer says why', async () => {
    const launch = (await listed()).find((record) => record.function === 'lifecycle');
    const { stderr, code } = await kerf('replay', launch?.id ?? '');
    expect(stderr).toContain('lifecycle decides for single objects, and does not read the cluster');
    expect(code).toBe(2);
  });

  test('an action and a reason of another version of Kerf are shown by their names', async () => {
    const newer = join(root, 'newer');
    const refusal = {
      reason: 'NewReason',
      kind: 'Pod',
      message: 'new',
      numbers: {},
      count: 1,
      names: ['default/web-1'],
    };
    const record = { ...created, actions: [{ kind: 'pause-node', nodes: ['node-1'] }], refusals: [refusal] };
    mkdirSync(newer);
    writeFileSync(join(newer, 'decisions.jsonl'), JSON.stringify(record));
    for (const args of [['decisions'], ['show', created.id]]) {
      const { stdout, code } = await runKerf([...args, '--records', newer], {}, { columns: 200 });
      expect(stdout).toContain('object changed (pause-node, of another version of Kerf)');
      expect(stdout).toContain('NewReason');
      expect(stdout).not.toContain('undefined');
      expect(code).toBe(0);
    }
  });

  test('the last line of a simulation that was interrupted is left out', async () => {
    const all = await listed();
    const file = join(folder, 'decisions.jsonl');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `${before}{"formatVersion":1,"id":"2026`);
    expect(await listed()).toEqual(all);
    writeFileSync(file, before);
    expect(existsSync(file)).toBe(true);
    expect(recordFiles(folder).clusters()).toEqual(['simulated']);
  });
});
