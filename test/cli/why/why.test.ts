import { expect, test } from 'vitest';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod } from '../../snapshot/documents.ts';
import { type Ran, runKerf } from '../run-kerf.ts';

const DOCUMENT = aDocument({
  pods: [
    aGivenPod('web-1'),
    aGivenPod('huge', { containers: [{ name: 'main', resources: { requests: { cpu: '900' } } }] }),
  ],
  nodes: [aGivenNode('node-1')],
  nodeClaims: [aGivenClaim('node-1')],
});

async function why(...args: readonly string[]): Promise<Ran> {
  return runKerf(['why', ...args, '--snapshot', 'a.json'], { 'a.json': JSON.stringify(DOCUMENT) }, { columns: 80 });
}

test('a pod is explained in text, with what to do', async () => {
  const { stdout, stderr, code } = await why('pod', 'huge');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  expect(stdout).toMatch(/^pod default\/huge: Unschedulable\n {2}No NodePool can launch a node for it/);
  expect(stdout).toContain('  InsufficientResources\n');
  expect(stdout).toContain('    → No instance type of the NodePool is large enough');
});

test('a node is explained as JSON', async () => {
  const { stdout, code } = await why('node', 'node-1', '-o', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    subject: { kind: 'Node', name: 'node-1' },
    state: expect.any(String),
    facts: expect.arrayContaining([['NodePool', 'general']]),
  });
});

test('a NodeClaim is found by its own name', async () => {
  expect((await why('nodeclaim', 'claim-node-1')).stdout).toMatch(/^node node-1: /);
});

test.each([
  [['pod', 'hug'], 'the snapshot has no pod default/hug: did you mean default/huge?\n'],
  [['pod', 'web-1', '-n', 'shop'], 'no pod shop/web-1: there is default/web-1; write -n default\n'],
  [['node', 'ip-10-0-0-1'], 'the snapshot has no node ip-10-0-0-1: it has 1 other node\n'],
])('%j is bad input', async (args, stderr) => {
  expect(await why(...args)).toMatchObject({ stdout: '', stderr, code: 2 });
});
