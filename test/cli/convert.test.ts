import { describe, expect, test } from 'vitest';
import { runKerf } from './run-kerf.ts';

const OLD_POOL = `# Our first pool.
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: default # everybody's
spec:
  template:
    spec:
      nodeClassRef:
        name: default
      requirements:
        # Cheap ones.
        - key: karpenter.sh/capacity-type
          operator: In
          values: ["spot"]
  disruption:
    consolidationPolicy: WhenUnderutilized
`;
const NEW_POOL = `# Our first pool.
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default # everybody's
spec:
  template:
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      requirements:
        # Cheap ones.
        - key: karpenter.sh/capacity-type
          operator: In
          values: ["spot"]
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 0s
`;
const TODAY = `# As it is.
apiVersion:   v1
kind: ConfigMap
metadata: { name: odd   }
data: {a: "x" } # tail
`;

describe('standard output has', () => {
  test('converted objects, with their comments', async () => {
    const { stdout, code } = await runKerf(['convert', '-f', 'a.yaml'], { 'a.yaml': OLD_POOL });
    expect({ stdout, code }).toEqual({ stdout: NEW_POOL, code: 0 });
  });

  test('unchanged text if no change is needed', async () => {
    const { stdout, stderr } = await runKerf(['convert', '-f', 'a.yaml'], { 'a.yaml': TODAY });
    expect(stdout).toBe(TODAY);
    expect(stderr).toBe('0 of 1 document converted\n');
  });

  test('the documents of several files, separated', async () => {
    const files = { 'a.yaml': `${TODAY}---\n${OLD_POOL}`, 'b.yaml': TODAY, 'c.yaml': `---\n${TODAY}` };
    const { stdout } = await runKerf(['convert', '-f', 'a.yaml', '-f', 'b.yaml', '-f', 'c.yaml'], files);
    expect(stdout).toBe(`${TODAY}---\n${NEW_POOL}---\n${TODAY}---\n${TODAY}`);
  });

  test('a file without a final line break', async () => {
    const files = { 'a.yaml': TODAY.trimEnd(), 'b.yaml': TODAY };
    const { stdout } = await runKerf(['convert', '-f', 'a.yaml', '-f', 'b.yaml'], files);
    expect(stdout).toBe(`${TODAY}---\n${TODAY}`);
  });

  test('the same text when it is converted again', async () => {
    const { stdout } = await runKerf(['convert', '-f', '-'], { '-': NEW_POOL });
    expect(stdout).toBe(NEW_POOL);
  });
});

test('kubelet settings move to the EC2NodeClass, also in another file', async () => {
  const pool = OLD_POOL.replace('      requirements:', '      kubelet: {maxPods: 20}\n      requirements:');
  const nodeClass = `apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: default}
spec: {amiFamily: AL2023, role: node, subnetSelectorTerms: [{tags: {a: b}}], securityGroupSelectorTerms: [{tags: {a: b}}]}
`;
  const args = ['convert', '-f', 'pool.yaml', '-f', 'class.yaml', '-o', 'json'];
  const { stdout } = await runKerf(args, { 'pool.yaml': pool, 'class.yaml': nodeClass });
  expect(JSON.parse(stdout).objects).toMatchObject([
    { kind: 'NodePool', spec: { template: { spec: expect.not.objectContaining({ kubelet: expect.anything() }) } } },
    { kind: 'EC2NodeClass', spec: { kubelet: { maxPods: 20 }, amiSelectorTerms: [{ alias: 'al2023@latest' }] } },
  ]);
});

describe('standard error has', () => {
  const GONE = OLD_POOL.replace('  disruption:', '  oldSetting: 1\n  disruption:');

  test('removed fields, with file, line and instructions', async () => {
    const { stdout, stderr } = await runKerf(['convert', '-f', 'a.yaml'], { 'a.yaml': GONE });
    expect(stdout).not.toContain('oldSetting');
    expect(stderr).toMatch(/^a\.yaml:16 {2}warning {2}spec\.oldSetting: .*\n {4}→ .+\n1 of 1 document converted\n$/);
  });

  test('a warning that many objects have once, with all of its lines', async () => {
    const named = (name: string): string => GONE.replace('name: default #', `name: ${name} #`);
    const files = { 'a.yaml': `${named('a')}---\n${named('b')}---\n${named('c')}`, 'b.yaml': named('d') };
    const { stderr } = await runKerf(['convert', 'a.yaml', 'b.yaml'], files);
    expect(stderr).toMatch(
      /^a\.yaml:16 {2}warning {2}spec\.oldSetting: .*\n {4}→ .+\n {4}the same at a\.yaml:35, 54; b\.yaml:16\n4 of 4 documents converted\n$/,
    );
    const { stdout } = await runKerf(['convert', 'a.yaml', 'b.yaml', '-o', 'json'], files);
    expect(JSON.parse(stdout).warnings).toHaveLength(4);
  });

  test('one warning for all defaults of a Provisioner that are written into its requirements', async () => {
    const provisioner =
      'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: a}\n' +
      'spec: {providerRef: {name: b}, ttlSecondsUntilExpired: 60}\n';
    const { stderr } = await runKerf(['convert', 'a.yaml'], { 'a.yaml': provisioner });
    expect(stderr).toContain(
      'a.yaml:4  warning  spec.requirements: the defaults of v1alpha5 are written explicitly because v1 has none: kubernetes.io/os In [linux], ' +
        'kubernetes.io/arch In [amd64], karpenter.sh/capacity-type In [on-demand], karpenter.k8s.aws/instance-category In [c, m, r], ' +
        'karpenter.k8s.aws/instance-generation Gt [2]\n    → change or remove a requirement to allow other values\n',
    );
  });

  test('the same content as the JSON output', async () => {
    const { stdout } = await runKerf(['convert', '-f', 'a.yaml', '-o', 'json'], { 'a.yaml': GONE });
    expect(JSON.parse(stdout)).toMatchObject({
      objects: [{ apiVersion: 'karpenter.sh/v1' }],
      warnings: [
        { file: 'a.yaml', line: 16, path: 'spec.oldSetting', message: expect.any(String), fix: expect.any(String) },
      ],
      unreadable: [],
    });
  });

  const BAD = { 'b.yaml': 'a: b: c\n' };

  test.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['one of two', { 'a.yaml': OLD_POOL, ...BAD }, 1],
    ['all of it', BAD, 2],
  ])('text that is not YAML: %s', async (_, files, expected) => {
    const args = Object.keys(files).flatMap((file) => ['-f', file]);
    const { stderr, code } = await runKerf(['convert', ...args], files);
    expect(code).toBe(expected);
    expect(stderr).toContain('b.yaml:1  error  not valid YAML');
  });
});

describe('text is read as by kubectl', () => {
  const OLD = 'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\nspec: {template: {spec: {}}}\n';
  const LIST = `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    data: {mode: 0644, many: 1_000, big: 12345678901234567890, bits: 0b11, some: 1.10, yes: on}
  - ${OLD.trimEnd().replaceAll('\n', '\n    ')}
`;

  test('YAML 1.1 numbers are read, and written unchanged', async () => {
    const text = await runKerf(['convert', '-f', '-'], { '-': LIST });
    expect(text.stdout).toContain(
      'data: {mode: 0644, many: 1_000, big: 12345678901234567890, bits: 0b11, some: 1.10, yes: on}',
    );
    const json = await runKerf(['convert', '-f', '-', '-o', 'json'], { '-': LIST });
    expect(JSON.parse(json.stdout).objects[0].items[0].data).toMatchObject({
      mode: 420,
      many: 1_000,
      bits: 3,
      some: 1.1,
    });
  });

  test('a byte order mark is removed', async () => {
    const { stdout } = await runKerf(['convert', '-f', '-'], { '-': `\uFEFF${TODAY.trimEnd()}` });
    expect(stdout).toBe(TODAY);
  });

  test('a document with comments only is printed and does not count', async () => {
    const { stdout, stderr } = await runKerf(['convert', '-'], { '-': `# about this file\n---\n${TODAY}` });
    expect(stdout).toContain('# about this file\n');
    expect(stderr).toBe('0 of 1 document converted\n');
  });

  test('directives are omitted, because they are not allowed between documents', async () => {
    const files = {
      'a.yaml': `%YAML 1.1\n# head\n---\n${OLD}...\n%YAML 1.2\n---\n${TODAY}`,
      'b.yaml': `%YAML 1.1\n---\n${TODAY}`,
    };
    const { stdout } = await runKerf(['convert', '-f', 'a.yaml', '-f', 'b.yaml'], files);
    expect(stdout).not.toContain('%YAML');
    expect((await runKerf(['convert', '-f', '-'], { '-': stdout })).stderr).toBe('0 of 3 documents converted\n');
  });
});
