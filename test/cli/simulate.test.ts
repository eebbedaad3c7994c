import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { aDeployment, aPool } from '../builders/cluster-manifests.ts';
import { aNodeClass } from '../builders/node-pools.ts';
import { runKerf } from './run-kerf.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment('web', 3) };

function yaml(...documents: readonly object[]): string {
  return documents.map((document) => stringify(document)).join('---\n');
}

/** A Deployment in the form of the API, with images. */
const CLUSTER = yaml(aPool(), aNodeClass(), DEPLOYMENT);

async function simulated(text: string, ...flags: readonly string[]): Promise<SimulationResult> {
  const { stdout, stderr, code } = await runKerf(['simulate', 'a.yaml', '--output', 'json', ...flags], {
    'a.yaml': text,
  });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const result: SimulationResult = JSON.parse(stdout);
  return result;
}

describe('kerf simulate', () => {
  test('prints only the JSON result on stdout', async () => {
    const result = await simulated(CLUSTER);
    expect(result).toMatchObject({ nodesLaunched: 1, nodesAtEnd: 1, podsRunning: 3, podsPending: [] });
    expect(result.totalCostUsd).toBeGreaterThan(0);
    expect(result.timeline.every((entry) => typeof entry.at === 'number' && typeof entry.kind === 'string')).toBe(true);
  });

  test('reads standard input for -', async () => {
    const { code, stdout } = await runKerf(['simulate', '-'], { '-': CLUSTER });
    expect(code).toBe(0);
    expect(stdout).toContain('3 running, 0 pending');
  });

  test('prints why a pod stays pending, with numbers', async () => {
    const huge = { ...DEPLOYMENT, ...aDeployment('huge', 1, '900') };
    const result = await simulated(yaml(aPool(), aNodeClass(), huge));
    expect(result.podsPending).toHaveLength(1);
    expect(result.podsPending[0]?.reason).toMatch(
      /NodePool general: needs 900 cpu, but the largest compatible instance type offers \d+/,
    );
    expect(result.nodesLaunched).toBe(0);
  });

  test('without a NodePool the pods stay pending with that reason', async () => {
    const { stdout } = await runKerf(['simulate', '-', '-o', 'json'], { '-': yaml(DEPLOYMENT) });
    const result: SimulationResult = JSON.parse(stdout);
    expect(result.podsPending.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => 'there is no NodePool that can launch a node for it'),
    );
  });

  test('names objects that are not simulated in the notes of the result', async () => {
    const old = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'old' }, spec: {} };
    const { stdout } = await runKerf(['simulate', 'a.yaml', '-o', 'json'], {
      'a.yaml': `${CLUSTER}---\n${stringify(old)}`,
    });
    expect(JSON.parse(stdout)).toMatchObject({ notes: ['ReplicationController old: its pods are not simulated'] });
  });

  test('ends at --for, or earlier if the cluster is settled', async () => {
    expect(await simulated(CLUSTER, '--for', '20s')).toMatchObject({
      ended: 'time',
      simulatedSeconds: 20,
      podsRunning: 0,
    });
    expect(await simulated(CLUSTER)).toMatchObject({ ended: 'settled' });
  });

  test('an invalid file gives exit code 2 and an error with file, line, field and allowed values; nothing is simulated', async () => {
    const text = CLUSTER.replace('operator: In', 'operator: IN');
    const { code, stdout, stderr } = await runKerf(['simulate', 'pool.yaml'], { 'pool.yaml': text });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(
      /^pool\.yaml:\d+:\d+ +NodePool\/general +spec\.template\.spec\.requirements\[0\]\.operator: .*"IN".*In, NotIn/,
    );
    expect(stderr).toContain('nothing was simulated');
  });

  test.each([
    ['a file that does not exist', ['nope.yaml'], /nope\.yaml cannot be read/],
    ['no file at all', [], /no PATH is given: add at least one/],
    ['a seed that is not a number', ['a.yaml', '--seed', 'x'], /"x" is not a whole number/],
    ['a speed of zero', ['a.yaml', '--speed', '0'], /"0" is not a speed/],
    ['a duration without a unit', ['a.yaml', '--for', '10'], /"10" is not a duration/],
    ['a region without figures', ['a.yaml', '--region', 'mars-1'], /no bundled figures for region "mars-1".*us-east-1/],
  ])('%s ends with exit code 2 and no stack trace', async (_what, args, message) => {
    const pool = aPool();
    const { template } = pool.spec;
    const requirements = template.spec.requirements.filter(({ key }) => !key.endsWith('/zone'));
    const anywhere = {
      ...pool,
      spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } },
    };
    const { code, stderr } = await runKerf(['simulate', ...args], { 'a.yaml': yaml(anywhere, aNodeClass()) });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('a folder in place of the trace file is an error that says so', async () => {
    const scenario = { apiVersion: 'kerf.dev/v1alpha1', kind: 'Scenario', metadata: { name: 'day' } };
    const text = yaml(aPool(), aNodeClass(), { ...scenario, spec: { trace: { file: 'traces' } } });
    const { code, stderr } = await runKerf(['simulate', 'a.yaml'], { 'a.yaml': text, 'traces/one.csv': '' });
    expect(code).toBe(2);
    expect(stderr).toContain('traces cannot be read: it is a folder; use a file. It is the trace of Scenario/day');
  });

  test('--speed 1 runs in real time', async () => {
    const { sleptMs, stdout } = await runKerf(['simulate', 'a.yaml', '--speed', '1'], { 'a.yaml': CLUSTER });
    const [, minutes = '', seconds = ''] = /simulated time +(\d+)m(?:(\d+)s)?/.exec(stdout) ?? [];
    expect(sleptMs).toBeGreaterThan(30_000);
    expect(sleptMs).toBeLessThanOrEqual((Number(minutes) * 60 + Number(seconds)) * 1_000);
  });

  test('the region is that of the first zone that a NodePool names; another --region is not used, with a warning', async () => {
    const files = { 'a.yaml': CLUSTER.replaceAll('us-east-1a', 'eu-west-3a') };
    const { stdout, stderr } = await runKerf(['simulate', 'a.yaml', '--region', 'us-east-1', '-o', 'json'], files);
    const result: SimulationResult = JSON.parse(stdout);
    const gap = '--region us-east-1 is not used: the region is eu-west-3, that of zone eu-west-3a of NodePool/general';
    expect(stderr).toBe(`warning: ${gap}\n`);
    expect(result).toMatchObject({ region: 'eu-west-3', notes: [gap] });
  });

  test('an unknown --region is bad input even if a NodePool names a zone', async () => {
    const { stderr, code } = await runKerf(['simulate', 'a.yaml', '--region', 'us-eats-1'], { 'a.yaml': CLUSTER });
    expect(stderr).toContain('"us-eats-1" (--region): did you mean us-east-1?');
    expect(code).toBe(2);
  });

  test('a region without prices is simulated with those of the nearest region, with a warning', async () => {
    const files = { 'a.yaml': CLUSTER.replaceAll('us-east-1a', 'ap-northeast-1c') };
    const { stdout, stderr } = await runKerf(['simulate', 'a.yaml', '-o', 'json'], files);
    const result: SimulationResult = JSON.parse(stdout);
    expect(stderr).toMatch(/^warning: no prices of ap-northeast-1 are bundled: the prices of us-west-2/);
    expect(result).toMatchObject({ region: 'ap-northeast-1', podsRunning: 3 });
    expect(result.totalCostUsd).toBeGreaterThan(0);
  });
});
