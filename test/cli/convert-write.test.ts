import { expect, test } from 'vitest';
import { runKerf } from './run-kerf.ts';

const POOL = `# of the team
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {name: default}
      requirements: []
`;
const CONVERTED = POOL.replace('v1beta1', 'v1').replace(
  '{name: default}',
  '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}',
);
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n';
const FILES = {
  'k8s/pool.yaml': `${SERVICE}---\n${POOL}`,
  'k8s/service.yaml': SERVICE,
  'k8s/kustomization.yaml': 'resources: [pool.yaml]\n',
};

test('--write changes the files that have something to convert, and no others', async () => {
  const { stdout, stderr, code, writtenFiles } = await runKerf(['convert', 'k8s', '--write'], FILES);
  expect([...(writtenFiles ?? [])]).toEqual([['k8s/pool.yaml', `${SERVICE}---\n${CONVERTED}`]]);
  expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
  expect(stderr).toBe(
    [
      'k8s/pool.yaml: written, 1 document converted',
      'passed over, because it is a Kustomization (use the output of `kustomize build`): k8s/kustomization.yaml',
      '1 of 3 documents converted\n',
    ].join('\n'),
  );
});

test('--write changes nothing the second time', async () => {
  const { writtenFiles, code } = await runKerf(['convert', 'k8s', '--write'], { 'k8s/pool.yaml': CONVERTED });
  expect({ writtenFiles, code }).toEqual({ writtenFiles: undefined, code: 0 });
});

test('--write leaves a file alone of which a part cannot be read', async () => {
  const { stderr, code, writtenFiles } = await runKerf(['convert', 'a.yaml', 'b.yaml', '--write'], {
    'a.yaml': `${POOL}---\na: [\n`,
    'b.yaml': POOL,
  });
  expect([...(writtenFiles ?? [])]).toEqual([['b.yaml', CONVERTED]]);
  expect(stderr).toContain('a.yaml:');
  expect(code).toBe(1);
});

test('without --write, no file is written', async () => {
  expect((await runKerf(['convert', 'k8s'], FILES)).writtenFiles).toBeUndefined();
});

test('--write refuses standard input', async () => {
  const { stderr, code } = await runKerf(['convert', '-', '--write'], { '-': POOL });
  expect({ stderr, code }).toEqual({
    stderr: '--write cannot change standard input: use files or folders, or leave --write out\n',
    code: 2,
  });
});

test('--strict gives exit code 1 for warnings', async () => {
  const warned = `${POOL}status: {}\n`;
  expect((await runKerf(['convert', 'a.yaml'], { 'a.yaml': warned })).code).toBe(0);
  expect((await runKerf(['convert', 'a.yaml', '--strict'], { 'a.yaml': warned })).code).toBe(1);
  expect((await runKerf(['convert', 'a.yaml', '--strict'], { 'a.yaml': POOL })).code).toBe(0);
});

const OVERLAY = {
  'k8s/base/pool.yaml': POOL,
  'k8s/base/kustomization.yaml': 'resources: [pool.yaml]\n',
  'k8s/prod/kustomization.yaml': `resources: [../base]
patches:
  - path: patch.yaml
  - target: {group: karpenter.sh, version: v1beta1, kind: NodePool}
    patch: |-
      - {op: add, path: /spec/weight, value: 1}
  - target: {kind: Provisioner}
    path: limits.yaml
`,
  'k8s/prod/patch.yaml': `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: general}
spec: {limits: {cpu: 100}}
`,
  'k8s/prod/limits.yaml': '- {op: remove, path: /spec/limits}\n',
  'k8s/values.yaml': 'replicas: 1\n',
};

test('a patch of a Kustomization is not converted to a whole object, with or without --write', async () => {
  const { writtenFiles } = await runKerf(['convert', 'k8s', '--write'], OVERLAY);
  expect([...(writtenFiles?.keys() ?? [])]).toEqual(['k8s/base/pool.yaml']);
  const { stdout, stderr, code } = await runKerf(['convert', 'k8s'], OVERLAY);
  expect({ stdout, code }).toEqual({ stdout: CONVERTED, code: 0 });
  expect(stderr.split('\n').filter((line) => / {2}warning {2}is /.test(line))).toEqual([
    'k8s/prod/kustomization.yaml:1  warning  is a Kustomization with names of old versions, and is not converted',
    'k8s/prod/patch.yaml:1  warning  is a patch with names of old versions, and is not converted',
  ]);
  expect(stderr).toMatch(/each is a patch: k8s\/prod\/limits\.yaml, k8s\/prod\/patch\.yaml\n/);
  expect(stderr).toMatch(/1 of 1 document converted\n$/);
});

test('what a file that is named has is printed, also if it is not a Kubernetes object', async () => {
  const { stdout } = await runKerf(['convert', 'values.yaml'], { 'values.yaml': 'replicas: 1\n' });
  expect(stdout).toBe('replicas: 1\n');
});

test("a template of a folder that is not Karpenter's does not fail the others", async () => {
  const files = { 'k8s/pool.yaml': POOL, 'k8s/web.yaml': 'a: {{ .Values.a }}\n  b: [\n' };
  expect(await runKerf(['convert', 'k8s'], files)).toMatchObject({ code: 0, stdout: CONVERTED });
  const ours = { ...files, 'k8s/web.yaml': '{{ if .a }}\napiVersion: karpenter.sh/v1beta1\n' };
  expect(await runKerf(['convert', 'k8s'], ours)).toMatchObject({ code: 1, stdout: CONVERTED });
});
