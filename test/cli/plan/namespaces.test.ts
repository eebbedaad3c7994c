import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aDocument, aGivenPool, aGivenType } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

const TEAM = { matchLabels: { team: 'x' } };

function aNamespace(name: string, labels: Json): Json {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/** One pod of `app: web`, which keeps away from such pods in the namespaces that the selector selects. */
function aDeployment(namespace: string, namespaceSelector?: Json): Json {
  const term = {
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: { matchLabels: { app: 'web' } },
    namespaceSelector,
  };
  const affinity = namespaceSelector && {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
  };
  const spec = {
    containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '100m' } } }],
    ...(affinity && { affinity }),
  };
  const template = { metadata: { labels: { app: 'web' } }, spec };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  };
}

const PODS = [aDeployment('a', TEAM), aDeployment('b')];
const POOL = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...aGivenPool() };

async function nodesFor(manifests: readonly Json[], document?: Json): Promise<number> {
  const files = {
    ...(document && { 'a.json': JSON.stringify(document) }),
    'all.yaml': manifests.map((one) => stringify(one)).join('---\n'),
  };
  const source = document === undefined ? [] : ['--snapshot', 'a.json'];
  const { stdout } = await runKerf(['plan', 'provisioning', ...source, '-f', 'all.yaml', '--output', 'json'], files);
  const { newNodeClaims }: ProvisioningOutput = JSON.parse(stdout);
  return newNodeClaims.length;
}

test.each<[string, Json | undefined]>([
  ['files alone', undefined],
  ['files over a snapshot', aDocument({ instanceTypes: [aGivenType()], namespaces: [{ metadata: { name: 'b' } }] })],
])('B52: a namespaceSelector selects by the Namespaces of the files: %s', async (_, document) => {
  const labelled = [aNamespace('a', { team: 'x' }), aNamespace('b', { team: 'x' })];
  expect(await nodesFor([POOL, ...PODS, ...labelled], document)).toBe(2);
  expect(await nodesFor([POOL, ...PODS], document)).toBe(1);
  expect(await nodesFor([POOL, ...PODS, aNamespace('b', { team: 'other' })], document)).toBe(1);
});

test('B52: the API server sets the label with the name of a Namespace, whatever its manifest says', async () => {
  const byName = { matchLabels: { 'kubernetes.io/metadata.name': 'b' } };
  const wrong = aNamespace('b', { 'kubernetes.io/metadata.name': 'other' });
  expect(await nodesFor([POOL, aDeployment('a', byName), aDeployment('b'), wrong])).toBe(2);
});

test.each(['plan', 'simulate'])('kerf %s: of several Namespaces of a name, the last is in effect', async (command) => {
  const twice = [aNamespace('b', { team: 'x' }), aNamespace('b', { team: 'other' })];
  const { code, stdout, stderr } = await runKerf([command, 'all.yaml', '--output', 'json'], {
    'all.yaml': [POOL, ...PODS, ...twice].map((one) => stringify(one)).join('---\n'),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Namespace') });
  const nodes: { readonly newNodeClaims?: readonly unknown[]; readonly nodesAtEnd?: number } = JSON.parse(stdout);
  expect(nodes.newNodeClaims?.length ?? nodes.nodesAtEnd).toBe(1);
});
