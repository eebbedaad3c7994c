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
  expect(stderr).toBe('k8s/pool.yaml: written, 1 document converted\n1 of 4 documents converted\n');
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
