import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runKerf } from '../cli/run-kerf.ts';

const ROOT = new URL('../../', import.meta.url);
const ARM = ['examples/arm/inflate-arm.yaml', 'examples/arm-v1alpha5/inflate-arm.yaml'];
const PLAN = 'examples/plan/cluster.json';
const OUTAGE = 'examples/outage/outage.yaml';
const LOAD = 'examples/load/load.yaml';
const DEMO = ['examples/demo/cluster.yaml', 'examples/demo/workloads.yaml', 'examples/demo/scenario.yaml'];

function files(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, ROOT), 'utf8')]));
}

const ran = new Map<string, ReturnType<typeof runKerf>>();

/** Runs the command once for all tests that only read what it printed. */
async function kerf(...args: readonly string[]): ReturnType<typeof runKerf> {
  const key = args.join(' ');
  const run =
    ran.get(key) ??
    runKerf(args, files([...args.filter((arg) => arg.startsWith('examples/')), 'examples/load/trace.csv']));
  ran.set(key, run);
  return run;
}

async function simulated(names: readonly string[]): Promise<SimulationResult> {
  const { stdout, stderr, code } = await kerf('simulate', ...names, '--output', 'json');
  // What was written for an older Karpenter is converted, and the conversion speaks up.
  expect({ quiet: stderr === '', code }).toEqual({ quiet: !names.some((name) => name.includes('v1alpha5')), code: 0 });
  const result: SimulationResult = JSON.parse(stdout);
  return result;
}

describe('the demo', () => {
  test('goes from zero nodes to running pods and back to zero nodes', async () => {
    const result = await simulated(DEMO);
    expect(result).toMatchObject({
      nodesAtEnd: 0,
      podsRunning: 0,
      podsPending: [],
      ended: 'time',
      simulatedSeconds: 3600,
      region: 'us-east-1',
    });
    expect(result.nodesLaunched).toBeGreaterThan(1);
    expect(result.totalCostUsd).toBeGreaterThan(0);
  });

  test('shows every step of the way, in its order', async () => {
    const { timeline } = await simulated(DEMO);
    const [claim] = timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? [entry.nodeClaim] : []));
    const kinds = timeline.filter((entry) => JSON.stringify(entry).includes(claim ?? '')).map((entry) => entry.kind);
    const way = [
      'create-node-claim',
      'launch-instance',
      'instance-launched',
      'node-joined',
      'register-node',
      'initialize-node',
    ];
    expect(kinds.filter((kind) => way.includes(kind))).toEqual(way);
    const end = [
      'start-disruption',
      'delete-node-claim',
      'cordon-node',
      'terminate-instance',
      'instance-terminated',
      'release-node-claim',
    ];
    expect(timeline.map((entry) => entry.kind)).toEqual(expect.arrayContaining(end));
  });

  test('is what npm start runs', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
    expect(scripts.start).toBe(`node bin/kerf.js simulate ${DEMO.join(' ')}`);
  });

  test('prints what the README shows of it', async () => {
    const { stdout } = await kerf('simulate', ...DEMO);
    const readme = readFileSync(new URL('README.md', ROOT), 'utf8');
    const [block = ''] = /^ {4}00:00:00 [^]*?^ {6}cost .*$/m.exec(readme) ?? [];
    const shown = block
      .split('\n')
      .map((line) => line.slice(4))
      .filter((line) => line !== '' && line !== '…');
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter((line) => !stdout.split('\n').includes(line))).toEqual([]);
  });

  test('is the same, byte for byte, each time; and another with another seed', async () => {
    const [first, second, other] = await Promise.all([
      kerf('simulate', ...DEMO),
      runKerf(['simulate', ...DEMO], files(DEMO)),
      runKerf(['simulate', ...DEMO, '--seed', '2'], files(DEMO)),
    ]);
    expect(first.stdout).toBe(second.stdout);
    expect(first.stdout).not.toBe(other.stdout);
  });
});

test('the outage moves the pods of the failed zone to the others, and costs what the instances cost', async () => {
  const result = await simulated([OUTAGE]);
  expect(result).toMatchObject({ nodesLaunched: 8, nodesAtEnd: 6, podsRunning: 6, podsPending: [], ended: 'time' });
  const launched = result.timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry] : []));
  expect(launched.filter(({ zone }) => zone === 'us-east-1a').map(({ at }) => at < 600)).toEqual([true, true]);
  expect(launched.every(({ priceUsdPerHour }) => priceUsdPerHour === 0.0816)).toBe(true);
  // Four nodes for the hour, two for the first 13 minutes and two from then on: six nodes for an hour, but for the seconds between.
  expect(Math.abs(result.totalCostUsd - 6 * 0.0816)).toBeLessThan(0.002);
});

test('the load runs the pods of its batches, of its trace, and others at random', async () => {
  const result = await simulated([LOAD]);
  const arrived = new Map<string, number>();
  for (const entry of result.timeline)
    if (entry.kind === 'pod-pending') arrived.set(entry.workload, (arrived.get(entry.workload) ?? 0) + 1);
  // Four batches of four pods; the rows at 5 and 65 minutes; 40 queries with a deviation of 6.3, and one that is interrupted.
  expect(arrived.get('Load default/reports')).toBe(16);
  expect(arrived.get('Trace default/trace')).toBe(5);
  expect(Math.abs((arrived.get('Load default/queries') ?? 0) - 40)).toBeLessThan(19);
  expect(result).toMatchObject({ podsPending: [], spotInterruptions: 1, region: 'eu-west-1' });
  expect(result.notes).toEqual([
    'trace examples/load/trace.csv: 1 row of 3, with 1 pod, not played: after the end of the simulation',
  ]);
});

test('a trace that cannot be read, or has errors, is refused with its place', async () => {
  const scenario = 'apiVersion: kerf.dev/v1alpha1\nkind: Scenario\nmetadata: {name: a}\nspec: {trace: {file: t.csv}}\n';
  const missing = await runKerf(['simulate', 'dir/a.yaml'], { 'dir/a.yaml': scenario });
  expect(missing.stderr).toContain('dir/t.csv cannot be read: no such file or folder');
  const wrong = { 'dir/a.yaml': scenario, 'dir/t.csv': 'time,cpu,memory,lifetime\n1,x,1,1\n' };
  const { stderr, code } = await runKerf(['simulate', 'dir/a.yaml'], wrong);
  expect({ stderr, code, other: missing.code }).toEqual({
    stderr: expect.stringContaining(
      'dir/t.csv:2  cpu: "x" is not allowed; write a quantity of cores such as 500m or 2',
    ),
    code: 2,
    other: 2,
  });
});

describe('the plan', () => {
  test('places what can be placed, and prints what the README shows of it', async () => {
    const { stdout, stderr, code } = await runKerf(['plan', 'provisioning', '--snapshot', PLAN], files([PLAN]));
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const readme = readFileSync(new URL('README.md', ROOT), 'utf8');
    const [block = ''] = /^ {4}\d+ pods to schedule[^]*?(?=\n\n\S)/m.exec(readme) ?? [];
    expect(block.replaceAll(/^ {4}/gm, '')).toBe(stdout.trimEnd());
  });
});

test.each(ARM)(
  '%s comes out as t4g on-demand capacity in eu-west-3a with three pods, and nothing else',
  async (name) => {
    const result = await simulated([name]);
    const launched = result.timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry] : []));
    expect(launched.length).toBe(result.nodesLaunched);
    for (const { instanceType, zone, capacityType } of launched) {
      expect({ family: instanceType.split('.')[0], zone, capacityType }).toEqual({
        family: 't4g',
        zone: 'eu-west-3a',
        capacityType: 'on-demand',
      });
    }
    expect(result).toMatchObject({ podsRunning: 3, podsPending: [], region: 'eu-west-3' });
    expect(result.nodesLaunched).toBe(result.nodesAtEnd);
  },
);

/** `manual.test.ts` runs them. */
const OFFICE = ['always-on', 'scale-to-zero', 'week'].map((name) => `examples/office/${name}.yaml`);

test('every example is run by a test', () => {
  const all = readdirSync(new URL('examples', ROOT), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(yaml|json)$/.test(name),
  );
  expect(all.map((name) => `examples/${name}`).toSorted()).toEqual(
    [...DEMO, ...ARM, PLAN, OUTAGE, LOAD, ...OFFICE].toSorted(),
  );
});

describe('the workflow for pull requests', () => {
  const workflow: { jobs: { diff: { steps: { run?: string }[] } } } = parse(
    readFileSync(new URL('examples/ci/kerf-diff.yml', ROOT), 'utf8'),
  );
  const commands = workflow.jobs.diff.steps.flatMap(
    ({ run = '' }) => run.match(/\bkerf (?:snapshot|diff)[^>\n]*/g) ?? [],
  );

  test('calls commands with flags that they have', async () => {
    expect(commands.map((one) => one.split(' ')[1])).toEqual(['snapshot', 'diff']);
    for (const command of commands) {
      const [, name = '', ...flags] = command.trim().split(/\s+/);
      const { stdout } = await runKerf([name, '--help'], {});
      for (const flag of flags.filter((one) => one.startsWith('--'))) expect(stdout, command).toContain(flag);
    }
  });

  test('succeeds if nothing or something changes, and fails if the manifests are bad', async () => {
    const [pool]: readonly { spec: object }[] = JSON.parse(readFileSync(new URL(PLAN, ROOT), 'utf8')).nodePools;
    const run = async (spec: object): Promise<number> => {
      const manifest = stringify({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...pool, spec });
      const args = ['diff', '--snapshot', PLAN, '-f', 'pools.yaml', '--ignore-budgets', '--output', 'markdown'];
      return (await runKerf(args, { ...files([PLAN]), 'pools.yaml': manifest })).code;
    };
    const spec = pool?.spec ?? {};
    expect([await run(spec), await run({ ...spec, limits: { cpu: '1' } }), await run({})]).toEqual([0, 1, 2]);
  });
});
