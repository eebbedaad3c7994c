import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aDocument, aGivenPod } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

/** The number of new nodes for three pods of one tenant whose anti-affinity over nodes has this term. */
async function nodesFor(term: Json, labels: Json = { app: 'web', tenant: 'one' }): Promise<number> {
  const terms = [{ topologyKey: 'kubernetes.io/hostname', ...term }];
  const template = {
    metadata: { labels },
    spec: {
      containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '100m' } } }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
    },
  };
  const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  const { stdout } = await runKerf(
    ['plan', 'provisioning', '--snapshot', 'a.json', '-f', 'web.yaml', '--output', 'json'],
    { 'a.json': JSON.stringify(aDocument({ pods: [aGivenPod('other')] })), 'web.yaml': stringify(deployment) },
  );
  const { newNodeClaims }: ProvisioningOutput = JSON.parse(stdout);
  return newNodeClaims.length;
}

const TENANTS = { matchExpressions: [{ key: 'tenant', operator: 'Exists' }] };

test('kerf plan -f: mismatchLabelKeys excludes only pods with another value of the key', async () => {
  expect(await nodesFor({ labelSelector: TENANTS })).toBe(3);
  expect(await nodesFor({ labelSelector: TENANTS, mismatchLabelKeys: ['tenant'] })).toBe(1);
});

test('kerf plan -f: matchLabelKeys excludes only pods with the same value of the key', async () => {
  expect(await nodesFor({ labelSelector: {}, matchLabelKeys: ['tenant'] })).toBe(3);
});

test('kerf plan -f: a key that the pod lacks adds nothing to the selector', async () => {
  const labels = { app: 'web' };
  expect(await nodesFor({ labelSelector: { matchLabels: labels }, mismatchLabelKeys: ['tenant'] }, labels)).toBe(3);
});
