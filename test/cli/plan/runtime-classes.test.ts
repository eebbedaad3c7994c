import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import type { SimulationSummary } from '../../../lib/simulator/result.ts';
import { aDocument, aGivenPod, aGivenPool } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

const POOL = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...aGivenPool() };
const KATA = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  handler: 'kata',
  overhead: { podFixed: { cpu: '250m' } },
  scheduling: { nodeSelector: { 'kubernetes.io/arch': 'amd64' } },
};

/** A workload of one pod, or a DaemonSet, with a cpu for each pod. */
function aWorkload(kind: 'Deployment' | 'DaemonSet', spec: Json = {}): Json {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: {
      runtimeClassName: 'kata',
      containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }],
      ...spec,
    },
  };
  const metadata = { name: 'web' };
  return { apiVersion: 'apps/v1', kind, metadata, spec: { selector: { matchLabels: { app: 'web' } }, template } };
}

async function run(command: 'plan' | 'simulate', objects: readonly Json[], document?: Json) {
  const files = {
    ...(document && { 'a.json': JSON.stringify(document) }),
    'all.yaml': objects.map((one) => stringify(one)).join('---\n'),
  };
  const source = document === undefined ? [] : ['--snapshot', 'a.json'];
  const args = command === 'plan' ? ['plan', 'provisioning', ...source, '-f', 'all.yaml'] : ['simulate', 'all.yaml'];
  const { stdout, stderr, code } = await runKerf([...args, '--output', 'json'], files);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const output: ProvisioningOutput & SimulationSummary = JSON.parse(stdout);
  return output;
}

test('kerf plan: pods count with the overhead and the node selector of their RuntimeClass', async () => {
  const [claim] = (await run('plan', [POOL, aWorkload('Deployment'), KATA])).newNodeClaims;
  expect(claim?.requests['cpu']).toBe('1250m');
  expect(claim?.requirements['kubernetes.io/arch']).toEqual([{ operator: 'In', values: ['amd64'] }]);
});

test('kerf plan: a DaemonSet counts with the overhead of its RuntimeClass (B20)', async () => {
  const document = aDocument({ pods: [aGivenPod('api-1')] });
  const [claim] = (await run('plan', [aWorkload('DaemonSet'), KATA], document)).newNodeClaims;
  expect(claim?.requests['cpu']).toBe('2250m');
});

const OTHER = { nodeSelector: { 'kubernetes.io/arch': 'arm64' } };
const WHY = 'RuntimeClass kata has kubernetes.io/arch: amd64 in scheduling.nodeSelector, and the pod has arm64';

test('pods that the API server refuses are not planned and not simulated, with a note', async () => {
  const objects = [POOL, aWorkload('Deployment', OTHER), KATA];
  const { newNodeClaims, podErrors, notes } = await run('plan', objects);
  expect([newNodeClaims, podErrors]).toEqual([[], {}]);
  expect(notes).toContainEqual(
    expect.stringMatching(/^Pod default\/web-.*-0: not planned, because the API server refuses it: /),
  );
  expect(notes.join('\n')).toContain(WHY);
  const simulated = await run('simulate', objects);
  expect([simulated.podsPending, simulated.podsRunning, simulated.nodesLaunched]).toEqual([[], 0, 0]);
  expect(simulated.notes).toContain(`Deployment default/web: the API server refuses its pods: ${WHY}`);
});

const GONE = 'RuntimeClass kata: it is not in the files: what it adds to its pods, such as overhead, does not count';

test.each(['plan', 'simulate'] as const)(
  'kerf %s: a RuntimeClass that is not in the files has a note',
  async (command) => {
    expect((await run(command, [POOL, aWorkload('Deployment')])).notes).toContain(GONE);
  },
);

test('kerf simulate: pods run with the overhead of their RuntimeClass', async () => {
  const pools = { ...POOL, ...aGivenPool('general', { limits: { cpu: '2' } }) };
  const large = { ...KATA, overhead: { podFixed: { cpu: '2' } } };
  const fits = async (runtimeClass: Json) =>
    (await run('simulate', [pools, aWorkload('Deployment'), runtimeClass])).podsRunning;
  expect([await fits(KATA), await fits(large)]).toEqual([1, 0]);
});
