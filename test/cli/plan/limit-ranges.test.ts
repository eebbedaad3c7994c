import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { ProvisioningOutput } from '../../../lib/cli/plan/provisioning-output.ts';
import { aDocument, aGivenPod } from '../../snapshot/documents.ts';
import { runKerf } from '../run-kerf.ts';

type Json = Readonly<Record<string, unknown>>;

/** Without requests. */
const TEMPLATE = {
  metadata: { labels: { app: 'bare' } },
  spec: { containers: [{ name: 'main', image: 'x' }] },
};
const SPEC = { selector: { matchLabels: { app: 'bare' } }, template: TEMPLATE };
const LIMIT_RANGE = {
  metadata: { name: 'defaults', namespace: 'default' },
  spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '250m' } }] },
};

function aBuffer(spec: Json): Json {
  return { apiVersion: 'autoscaling.x-k8s.io/v1beta1', kind: 'CapacityBuffer', metadata: { name: 'spare' }, spec };
}

function aDeployment(kind: 'Deployment' | 'StatefulSet' | 'ReplicaSet'): Json {
  const spec = { ...SPEC, ...(kind === 'StatefulSet' && { serviceName: 'bare' }), replicas: 0 };
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'bare' }, spec };
}

const DAEMON_SET = { metadata: { name: 'agent', namespace: 'default' }, spec: SPEC };

/** The cpu of the claim for a pod with one cpu, and for what these objects need. */
async function cpuOf(document: Json, manifests: readonly Json[]): Promise<string | number | undefined> {
  const files = {
    'a.json': JSON.stringify(aDocument({ pods: [aGivenPod('web-1')], ...document })),
    'all.yaml': manifests.map((one) => stringify(one)).join('---\n'),
  };
  const { stdout } = await runKerf(
    ['plan', 'provisioning', '--snapshot', 'a.json', '-f', 'all.yaml', '--output', 'json'],
    files,
  );
  const { newNodeClaims }: ProvisioningOutput = JSON.parse(stdout);
  return newNodeClaims[0]?.requests['cpu'];
}

test.each<[string, readonly Json[], string]>([
  ['a DaemonSet (B20)', [{ apiVersion: 'apps/v1', kind: 'DaemonSet', ...DAEMON_SET }], '1250m'],
  [
    'a PodTemplate of a CapacityBuffer (B65)',
    [
      { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'bare' }, template: TEMPLATE },
      aBuffer({ podTemplateRef: { name: 'bare' }, replicas: 2 }),
    ],
    '1500m',
  ],
  ...(['Deployment', 'StatefulSet', 'ReplicaSet'] as const).map((kind): [string, readonly Json[], string] => [
    `a ${kind} of a CapacityBuffer (B65)`,
    [aDeployment(kind), aBuffer({ scalableRef: { apiGroup: 'apps', kind, name: 'bare' }, replicas: 2 })],
    '1500m',
  ]),
])('kerf plan -f: %s counts with the requests that a LimitRange gives its pods', async (_, manifests, cpu) => {
  const none = '1';
  expect(await cpuOf({}, manifests)).toBe(none);
  expect(await cpuOf({ limitRanges: [LIMIT_RANGE] }, manifests)).toBe(cpu);
  const given = { apiVersion: 'v1', kind: 'LimitRange', ...LIMIT_RANGE };
  expect(await cpuOf({}, [...manifests, given])).toBe(cpu);
});

test('a DaemonSet of the snapshot counts as in the decision of the cluster, which reads no LimitRanges', async () => {
  const given = { apiVersion: 'v1', kind: 'LimitRange', ...LIMIT_RANGE };
  expect(await cpuOf({ daemonSets: [DAEMON_SET] }, [given])).toBe('1');
});
