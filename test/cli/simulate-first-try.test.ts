import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { aDeployment } from '../builders/cluster-manifests.ts';
import { CLASS, join, POOL } from './manifest-texts.ts';
import { type Ran, runKerf } from './run-kerf.ts';

/** Files as they are in the repositories of users. */

const DEPLOYMENT = stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment('web', 3) });

function other(kind: string, name: string, apiVersion = 'v1'): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n`;
}

async function simulate(files: Readonly<Record<string, string>>, ...paths: readonly string[]): Promise<Ran> {
  return runKerf(['simulate', ...(paths.length === 0 ? Object.keys(files) : paths)], files);
}

describe('an EC2NodeClass that no file has', () => {
  const gpu = POOL.replace('name: default', 'name: gpu').replace('name: default}', 'name: accelerated}');

  test('a plain one stands in, and a warning names it and its NodePools', async () => {
    const spare = gpu.replace('name: gpu', 'name: spare');
    const { stdout, stderr, code } = await simulate({ 'a.yaml': join(POOL, CLASS, gpu, spare, DEPLOYMENT) });
    expect(stderr).toBe(
      'warning: no file has EC2NodeClass/accelerated, which NodePools gpu, spare use: a plain AL2023 class stands in for it, with all subnets and security groups\n',
    );
    expect(stdout).toContain('3 running, 0 pending');
    expect(stdout).toContain('Notes\n  no file has EC2NodeClass/accelerated');
    expect(code).toBe(0);
  });

  test('a misspelt name is an error', async () => {
    const { stderr, code } = await simulate({
      'a.yaml': join(POOL.replace('name: default}', 'name: defualt}'), CLASS),
    });
    expect(stderr).toContain('no file has an EC2NodeClass "defualt"; did you mean default?');
    expect(code).toBe(2);
  });
});

test('instance types without figures are named, in NodePools and pods', async () => {
  const old = POOL.replace('key: karpenter.sh/capacity-type', 'key: karpenter.k8s.aws/instance-family').replace(
    'spot',
    'p3',
  );
  const deployment = DEPLOYMENT.replace(
    'containers:',
    'nodeSelector: {node.kubernetes.io/instance-type: g3s.xlarge}\n      containers:',
  );
  const { stdout, stderr } = await simulate({ 'a.yaml': join(old, CLASS, deployment) });
  expect(stderr).toBe(
    'warning: NodePool/default asks for p3: no figures are bundled, so no such node is launched\n' +
      'warning: Deployment/web asks for g3s.xlarge: no figures are bundled, so no such node is launched\n',
  );
  expect(stdout).toContain('3 pending');
});

test('capacity reservations are named, because only EC2 has their instances', async () => {
  const nodeClass = CLASS.replace('spec:', 'spec:\n  capacityReservationSelectorTerms: [{id: cr-0123456789abcdef0}]');
  const files = { 'a.yaml': join(POOL, nodeClass, DEPLOYMENT) };
  const warning = 'EC2NodeClass/default selects capacity reservations, of which only EC2 has the instances';
  expect((await simulate(files)).stderr).toContain(`warning: ${warning}`);
  expect((await runKerf(['plan', 'a.yaml'], files)).stderr).toContain(warning);
});

test('without a NodePool, a warning says what to add', async () => {
  const { stdout, stderr, code } = await simulate({ 'a.yaml': DEPLOYMENT });
  expect(stderr).toBe(
    'warning: no file has a NodePool, so no node is launched: add a NodePool (examples/demo/cluster.yaml has one)\n',
  );
  expect(stdout).toContain('0 running, 3 pending');
  expect(code).toBe(0);
});

test('files with nothing that can be simulated are bad input', async () => {
  const { stderr, code } = await simulate({ 'd/a.yaml': other('Service', 'web'), 'd/values.yaml': 'a: 1\n' }, 'd');
  expect(stderr).toContain('the files have nothing to simulate: add a NodePool and a workload');
  expect(code).toBe(2);
});

describe('objects of other kinds', () => {
  test('up to three have a line each', async () => {
    const { stderr } = await simulate({ 'a.yaml': join(POOL, CLASS, DEPLOYMENT, other('Service', 'web')) });
    expect(stderr).toBe('a.yaml:42  Service/web: not used by a simulation\n');
  });

  test('more are counted by kind in one line', async () => {
    const others = [
      ...['a', 'b', 'c'].map((name) => other('ConfigMap', name)),
      other('Service', 'web'),
      other('Application', 'shop', 'argoproj.io/v1alpha1'),
      other('VirtualService', 'web', 'networking.istio.io/v1'),
    ];
    const { stderr, code } = await simulate({ 'a.yaml': join(POOL, CLASS, DEPLOYMENT, ...others) });
    expect(stderr).toBe(
      '6 objects of 4 kinds are not used by a simulation: ConfigMap (3), Service, Application, VirtualService\n',
    );
    expect(code).toBe(0);
  });
});

const REPOSITORY = {
  'd/base/kustomization.yaml': 'resources: [pool.yaml, web.yaml]\n',
  'd/base/pool.yaml': join(POOL, CLASS),
  'd/base/web.yaml': DEPLOYMENT,
  'd/dev/kustomization.yaml': 'resources: [../base]\npatches: [{path: web.yaml}]\n',
  'd/dev/web.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n',
  'd/chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'd/chart/values.yaml': 'replicas: 2\n',
  'd/chart/templates/web.yaml': 'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n',
  'd/main.tf': 'resource "kubectl_manifest" "pool" { yaml_body = "apiVersion: karpenter.sh/v1" }\n',
  'd/network.tf': 'resource "aws_vpc" "main" {}\n',
};

const PASSED_OVER = `passed over, because each is a Kustomization (use the output of \`kustomize build\`): d/base/kustomization.yaml, d/dev/kustomization.yaml
passed over, because it is a Helm template ("{{ … }}") that is not rendered: d/chart/templates/web.yaml:4
passed over, because each belongs to a Helm chart (use the output of \`helm template\`): d/chart/Chart.yaml, d/chart/values.yaml
passed over, because it is a patch: d/dev/web.yaml
`;
const TERRAFORM = 'd/main.tf: is not read, and names karpenter.sh: use what it renders, as YAML or JSON\n';

describe('a folder with Kustomizations, a chart and Terraform', () => {
  test('is simulated, and what is not read is named', async () => {
    const { stdout, stderr, code } = await simulate(REPOSITORY, 'd');
    expect(sorted(stderr)).toEqual(sorted(TERRAFORM + PASSED_OVER));
    expect(stdout).toContain('3 running, 0 pending');
    expect(code).toBe(0);
  });

  test('is valid', async () => {
    const { stdout, stderr, code } = await runKerf(['validate', 'd'], REPOSITORY);
    expect({ stdout, stderr, code }).toEqual({ stdout: '2 objects, all valid\n', stderr: TERRAFORM, code: 0 });
  });

  test('is not valid if a template of Karpenter is not rendered', async () => {
    const template = 'apiVersion: karpenter.sh/v1\nkind: NodePool\n{{- with .Values.pool }}\nspec: {}\n{{- end }}\n';
    const { stdout, code } = await runKerf(['validate', 'd'], {
      ...REPOSITORY,
      'd/chart/templates/pool.yaml': template,
    });
    expect(stdout).toContain('d/chart/templates/pool.yaml:3  error  is a Helm template');
    expect(code).toBe(1);
  });
});

function sorted(text: string): readonly string[] {
  return text.split('\n').toSorted();
}
