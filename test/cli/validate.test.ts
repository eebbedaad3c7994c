import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ValidatedObject } from '../../lib/cli/validate/validation.ts';
import { CLASS, join, POOL } from './manifest-texts.ts';
import { runKerf } from './run-kerf.ts';

const BROKEN = POOL.replace('spec:\n', 'spec:\n  weight: 101\n');
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n';
const NO_YAML = 'a: b: c\n';

interface Report {
  readonly objects: readonly ValidatedObject[];
  readonly unreadable: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

async function validated(
  files: Readonly<Record<string, string>>,
  ...paths: readonly string[]
): Promise<Report & { readonly code: number }> {
  const args = (paths.length === 0 ? Object.keys(files) : paths).flatMap((path) => ['-f', path]);
  const { stdout, stderr, code } = await runKerf(['validate', ...args, '--output', 'json'], files);
  expect(stderr).toBe('');
  const report: Report = JSON.parse(stdout);
  return { ...report, code };
}

describe('the exit code if', () => {
  test.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['all objects are valid', { 'a.yaml': POOL, 'b.yaml': CLASS }, 0],
    ['there are only objects of other kinds', { 'a.yaml': SERVICE }, 0],
    ['one is invalid', { 'a.yaml': POOL, 'b.yaml': BROKEN }, 1],
    ['one cannot be read', { 'a.yaml': POOL, 'b.yaml': NO_YAML }, 1],
    ['one of several documents cannot be read', { 'a.yaml': join(POOL, NO_YAML) }, 1],
    ['nothing could be read', { 'a.yaml': NO_YAML }, 2],
    ['the file is empty', { 'a.yaml': '# nothing\n' }, 2],
  ])('%s', async (_, files, code) => {
    expect((await validated(files)).code).toBe(code);
  });

  test('a path does not exist: 1 with other files, 2 alone', async () => {
    const files = { 'a.yaml': POOL };
    expect(await validated(files, 'a.yaml', 'b.yaml')).toMatchObject({
      code: 1,
      unreadable: [{ file: 'b.yaml', line: 1, message: 'cannot be read: no such file or folder' }],
    });
    expect(await validated(files, 'b.yaml')).toMatchObject({ code: 2, objects: [] });
  });

  test('there are only warnings: 0, and 1 with --strict', async () => {
    const files = { 'a.yaml': POOL.replace('spot', 'spot, spto') };
    const { code, objects } = await validated(files);
    expect(objects).toMatchObject([{ valid: true, findings: [{ severity: 'warning' }] }]);
    expect(code).toBe(0);
    expect((await runKerf(['validate', '--strict', 'a.yaml'], files)).code).toBe(1);
    expect((await runKerf(['validate', '--strict', 'a.yaml'], { 'a.yaml': POOL })).code).toBe(0);
  });
});

describe('a Scenario', () => {
  const SCENARIO =
    'apiVersion: kerf.dev/v1alpha1\nkind: Scenario\nmetadata: {name: day}\nspec: {events: [{at: 1m, scale: {deployment: web, replicas: 2}}]}\n';

  test('is valid alone', async () => {
    const { stdout, code } = await runKerf(['validate', '-'], { '-': SCENARIO });
    expect({ stdout, code }).toEqual({ stdout: '1 object, all valid\n', code: 0 });
  });

  test.each([
    ['a field that does not exist', SCENARIO.replace('at: 1m', 'at: 1m, kill: x'), 'spec.events[0].kill'],
    ['two actions in an event', SCENARIO.replace('at: 1m', 'at: 1m, deletePod: {pod: a}'), 'spec.events[0].deletePod'],
    ['a misspelt kind', SCENARIO.replace('kind: Scenario', 'kind: Scenaro'), 'kind'],
  ])('with %s is invalid', async (_, text, path) => {
    const { objects, code } = await validated({ 'a.yaml': text });
    expect(objects).toMatchObject([{ valid: false, findings: [{ severity: 'error', path }] }]);
    expect(code).toBe(1);
  });
});

test('a finding has its severity, field, line, problem and correction', async () => {
  const { objects } = await validated({ 'a.yaml': join(CLASS, BROKEN) });
  expect(objects).toEqual([
    {
      file: 'a.yaml',
      document: 0,
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      name: 'default',
      valid: true,
      findings: [],
    },
    {
      file: 'a.yaml',
      document: 1,
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      name: 'default',
      valid: false,
      findings: [
        {
          severity: 'error',
          path: 'spec.weight',
          line: 15,
          message: '101 is too large',
          fix: 'write a whole number from 1 to 100',
        },
      ],
    },
  ]);
});

describe('input is read from', () => {
  test('folders and their subfolders, without hidden ones and node_modules', async () => {
    const files = {
      'm/pool.yaml': POOL,
      'm/aws/class.yml': CLASS,
      'm/notes.txt': NO_YAML,
      'm/.git/x.yaml': NO_YAML,
      'm/node_modules/x.yaml': NO_YAML,
    };
    const { objects, code } = await validated(files, 'm');
    expect({ code, files: objects.map(({ file }) => file) }).toEqual({
      code: 0,
      files: ['m/aws/class.yml', 'm/pool.yaml'],
    });
  });

  test('standard input, and paths without -f', async () => {
    const { stdout, code } = await runKerf(['validate', '-f', '-', 'b.yaml', '-o', 'json'], {
      '-': POOL,
      'b.yaml': CLASS,
    });
    const { objects }: Report = JSON.parse(stdout);
    expect({ code, files: objects.map(({ file }) => file) }).toEqual({ code: 0, files: ['stdin', 'b.yaml'] });
  });

  test('a repeated path, only once', async () => {
    expect((await validated({ 'a.yaml': POOL }, 'a.yaml', 'a.yaml')).objects).toHaveLength(1);
  });

  test('a List: each item is an object with its own field paths', async () => {
    const items = [POOL, BROKEN].map((text) => text.replaceAll('\n', '\n    ').trimEnd());
    const text = `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => `  - ${item}\n`).join('')}`;
    const { objects } = await validated({ 'a.yaml': text });
    expect(objects.map(({ valid, findings }) => [valid, ...findings.map(({ path }) => path)])).toEqual([
      [true],
      [false, 'spec.weight'],
    ]);
  });

  test('empty documents, which count in the numbering', async () => {
    const { objects } = await validated({ 'a.yaml': `---\n# nothing\n---\n${POOL}` });
    expect(objects.map(({ document }) => document)).toEqual([1]);
  });

  test('objects of other kinds, which are ignored', async () => {
    const others = join(
      SERVICE,
      'apiVersion: eks.amazonaws.com/v1\nkind: NodeClass\nmetadata: 5\n',
      '- a\n- b\n',
      'just: values\n',
    );
    expect(await validated({ 'a.yaml': others })).toEqual({ objects: [], unreadable: [], code: 0 });
  });

  test.each([
    ['an unknown version', POOL.replace('karpenter.sh/v1', 'karpenter.sh/v2'), 'apiVersion'],
    ['a typo in the kind', POOL.replace('kind: NodePool', 'kind: NodePol'), 'kind'],
    ['no version', POOL.replace('apiVersion: karpenter.sh/v1\n', ''), 'apiVersion'],
    ['a typo in the group', POOL.replace('karpenter.sh/v1', 'karpenter.s/v1'), 'apiVersion'],
  ])('%s is an error of a Karpenter object', async (_, text, path) => {
    const { objects } = await validated({ 'a.yaml': text });
    expect(objects).toMatchObject([{ valid: false, findings: [{ severity: 'error', path }] }]);
  });
});

describe('unusual input', () => {
  test('a list of Karpenter objects is not ignored', async () => {
    const text = `- ${POOL.replaceAll('\n', '\n  ').trimEnd()}\n`;
    expect(await validated({ 'a.yaml': text })).toMatchObject({
      code: 2,
      unreadable: [{ line: 1, message: expect.stringContaining('is a list of objects') }],
    });
  });

  test('consecutive JSON values are documents', async () => {
    const value =
      '{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "a}{"}, "spec": {"weight": 0}}';
    const { objects } = await validated({ 'a.json': `${value}\n${value}${value}\n` });
    expect(objects.map(({ document, findings }) => [document, findings[0]?.line])).toEqual([
      [0, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  test('a document with an error does not hide the following documents', async () => {
    const { objects, unreadable } = await validated({
      'a.yaml': join(CLASS, POOL.replace('default', "'default"), BROKEN),
    });
    expect(unreadable).toMatchObject([{ file: 'a.yaml' }]);
    expect(objects.map(({ document, findings }) => [document, ...findings.map(({ line }) => line)])).toEqual([
      [0],
      [2, 26],
    ]);
  });

  test('text after three dots is reported', async () => {
    const head = 'apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: a}\n';
    const { code, unreadable } = await validated({ 'a.yaml': `${head}...\n...\nspec: {role: a}\n` });
    expect({ code, unreadable }).toMatchObject({
      code: 1,
      unreadable: [{ line: 6, message: expect.stringContaining('kubectl') }],
    });
  });

  test.each([
    ['y for a string', 'template:\n    metadata: {labels: {team: y}}', '"y"'],
    ['octal digits for a string', 'template:\n    metadata: {labels: {team: 0644}}', '"0644"'],
  ])('%s is rejected as by the API server, and the correction has the text in quotes', async (_, fields, fix) => {
    const { objects } = await validated({ 'a.yaml': POOL.replace('template:', fields) });
    expect(objects[0]?.findings[0]?.fix).toContain(fix);
  });

  test('numbers with underscores are numbers, as in kubectl', async () => {
    const { objects } = await validated({
      'a.yaml': POOL.replace('spec:\n', 'spec:\n  weight: 1_0\n  limits: {cpu: 1_000}\n'),
    });
    expect(objects).toMatchObject([{ valid: true, findings: [] }]);
  });

  test('the name of an EC2NodeClass without a spec is validated', async () => {
    const { objects } = await validated({
      'a.yaml': 'apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: Bad_Name}\n',
    });
    expect(objects).toMatchObject([{ valid: false, findings: [{ path: 'spec' }, { path: 'metadata.name' }] }]);
  });
});

describe('objects before v1', () => {
  test('are validated after conversion, with the warnings of the conversion', async () => {
    const old = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: old}
spec:
  weight: 500
  template:
    spec:
      nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: default}
      requirements: []
  disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 10h}
`;
    const { objects } = await validated({ 'a.yaml': old });
    expect(objects).toMatchObject([
      { apiVersion: 'karpenter.sh/v1beta1', kind: 'NodePool', name: 'old', valid: false },
    ]);
    expect(objects[0]?.findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { path: 'spec.weight', line: 5 },
    ]);
  });

  test('a Provisioner with a provider is one object, valid if both parts are valid', async () => {
    const text = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: old}
spec:
  provider:
    subnetSelector: {a: b}
    securityGroupSelector: {a: b}
    instanceProfile: nodes
  ttlSecondsAfterEmpty: 30
`;
    const { objects } = await validated({ 'a.yaml': text });
    expect(objects).toMatchObject([{ kind: 'Provisioner', valid: true }]);
  });
});

test('disruption without consolidateAfter is an error, because CRDs before 1.15 reject it (A1.11)', async () => {
  const { objects } = await validated({ 'a.yaml': `${POOL}  disruption: {consolidationPolicy: WhenEmpty}\n` });
  expect(objects[0]?.findings).toMatchObject([
    { severity: 'error', path: 'spec.disruption.consolidateAfter', line: 11, fix: expect.stringContaining('0s') },
  ]);
});

test('an EC2NodeClass without a spec gives a warning, because the API server accepts it', async () => {
  const { objects } = await validated({
    'a.yaml': 'apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: a}\n',
  });
  expect(objects).toMatchObject([{ valid: true, findings: [{ severity: 'warning', path: 'spec' }] }]);
});

const budget = (fields: string): string =>
  `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, ${fields}}\n`;
const workload = (kind: string): string =>
  `apiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: web}\nspec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web}]}}}\n`;

describe('valid settings that are probably unintended give a warning', () => {
  const scaler =
    'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {scaleTargetRef: {kind: StatefulSet, name: web}}\n';

  test.each<readonly [string, string, string]>([
    [
      'requirements that no instance type meets',
      POOL.replace('spot', 'spot]}\n        - {key: karpenter.k8s.aws/instance-family, operator: In, values: [m99'),
      'is not a known instance family',
    ],
    [
      'a budget that always blocks disruption',
      `${POOL}  disruption: {consolidateAfter: 0s, budgets: [{nodes: "0"}]}\n`,
      'at all times',
    ],
    ['a PDB that never allows an eviction', budget('maxUnavailable: 0'), 'never'],
    ['a PDB that requires all replicas', join(budget('minAvailable: 2'), workload('StatefulSet')), 'never'],
    ['a placeholder', CLASS.replace('role: node', 'role: "${ROLE}"'), 'placeholder'],
    [
      'a workload with renamed labels',
      workload('Deployment').replace(
        'metadata: {labels',
        'metadata: {annotations: {karpenter.sh/do-not-evict: "true"}, labels',
      ),
      'do-not-disrupt',
    ],
  ])('%s', async (_, text, words) => {
    const { objects, code } = await validated({ 'a.yaml': text });
    expect(objects.flatMap(({ findings }) => findings)).toMatchObject([{ severity: 'warning' }]);
    expect(JSON.stringify(objects)).toContain(words);
    expect(code).toBe(0);
  });

  test('a PDB for a workload with an autoscaler gives no warning', async () => {
    const { objects } = await validated({ 'a.yaml': join(budget('minAvailable: 2'), workload('StatefulSet'), scaler) });
    expect(objects).toEqual([]);
  });

  test('a valid PDB is not reported', async () => {
    expect((await validated({ 'a.yaml': budget('maxUnavailable: 1') })).objects).toEqual([]);
  });
});

test('the README shows the output', async () => {
  const text = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
spec:
  template:
    spec:
      nodeClassRef:
        apiVersion: karpenter.k8s.aws/v1
        kind: EC2NodeClass
        name: default
      requirements:
        - key: kubernetes.io/arch
          operator: In
          values: [arm64]
  disruption:
    consolidationPolicy: WhenUnderutilized
    consolidateAfter: 30s
`;
  const { stdout } = await runKerf(['validate', '-f', 'nodepool.yaml'], { 'nodepool.yaml': text });
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const shown = stdout.split('\n').filter((line) => line.startsWith('nodepool.yaml') || line.startsWith('    →'));
  expect(shown).toHaveLength(4);
  expect(readme).toContain(shown.map((line) => `    ${line}\n`).join(''));
});

describe('the text output', () => {
  test('has position, message and correction for each finding, and a summary', async () => {
    const { stdout } = await runKerf(['validate', '-f', 'a.yaml'], { 'a.yaml': join(CLASS, BROKEN) });
    expect(stdout).toBe(
      'a.yaml:15  error  NodePool/default  spec.weight: 101 is too large\n    → write a whole number from 1 to 100\n2 objects, 1 invalid\n',
    );
  });

  test.each([
    [{ 'a.yaml': POOL }, '1 object, all valid\n'],
    [{ 'a.yaml': SERVICE }, 'no Karpenter objects among 1 object\n'],
  ])('is one line if there are no findings', async (files, line) => {
    expect((await runKerf(['validate', '-f', 'a.yaml'], files)).stdout).toBe(line);
  });

  test.each([[[]], [['-f', '']]])('is an error without a path (%j)', async (paths) => {
    const { code, stderr } = await runKerf(['validate', ...paths]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'no file is given: add -f and a file, a folder, or - for standard input\n',
    });
  });
});
