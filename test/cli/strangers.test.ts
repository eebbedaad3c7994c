import { describe, expect, test } from 'vitest';
import { runKerf } from './run-kerf.ts';

/** What manifests of other repositories have, and what `kerf` prints about it. */

const CLASS = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {team: a}}]
  securityGroupSelectorTerms: [{tags: {team: a}}]
`;

function pool(requirement: string, metadata = 'metadata: {name: general}'): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
${metadata}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - ${requirement}
`;
}

async function validated(text: string): Promise<readonly [text: string, code: number]> {
  const { stdout, code } = await runKerf(['validate', 'a.yaml'], { 'a.yaml': text });
  return [stdout, code];
}

const TEMPLATE = `apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: a}
spec:
  subnetSelector: {team: a}
  securityGroupSelector: {team: a}
  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs: {volumeSize: 50}
`;

test('a volume size without a unit is an error, and is not converted to a gibibyte', async () => {
  const [text, code] = await validated(TEMPLATE);
  expect(code).toBe(1);
  expect(text).toContain(
    'a.yaml:9  error  AWSNodeTemplate/a  spec.blockDeviceMappings[0].ebs.volumeSize: 50 is a number\n    → write 50Gi\n',
  );
  const { stdout, stderr } = await runKerf(['convert', 'a.yaml'], { 'a.yaml': TEMPLATE });
  expect(stdout).toContain('ebs: {volumeSize: 50}');
  expect(stderr).toContain('volumeSize: 50 has no unit, so it means bytes, and is not converted\n    → write 50Gi\n');
});

test('what kubectl get prints is left out of a converted object, with a warning', async () => {
  const exported = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: general
  uid: 7f1c
  resourceVersion: "12"
  generation: 3
  creationTimestamp: "2024-01-01T00:00:00Z"
  managedFields: []
  labels: {team: a}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"
spec:
  template:
    spec:
      nodeClassRef: {name: default}
      requirements: []
status: {resources: {cpu: "1"}}
`;
  const { stdout, stderr } = await runKerf(['convert', 'a.yaml'], { 'a.yaml': exported });
  expect(stdout).toBe(`apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
  labels: {team: a}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
`);
  expect(stderr).toContain(
    'a.yaml:5  warning  metadata.uid: uid, resourceVersion, generation, creationTimestamp, managedFields: removed',
  );
  expect(stderr).toContain(
    'a.yaml:12  warning  metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]: was removed',
  );
});

describe('labels that look right', () => {
  test.each([
    ['node.kubernetes.io/instance-category', 'karpenter.k8s.aws/instance-category'],
    ['node.k8s.aws/instance-type', 'node.kubernetes.io/instance-type'],
    ['eks.amazonaws.com/instance-family', 'karpenter.k8s.aws/instance-family'],
    ['kubernetes.io/capacity-type', 'karpenter.sh/capacity-type'],
  ])('%s gets a warning with the right label', async (wrong, right) => {
    const [text, code] = await validated(pool(`{key: ${wrong}, operator: In, values: ["c"]}`));
    expect(text).toContain(`requirements[0].key: ${wrong} is not a label of instance types`);
    expect(text).toContain(`→ write ${right}\n`);
    expect(code).toBe(0);
  });

  test('karpenter.k8s.aws/instance-type is an error with the right label', async () => {
    const [text, code] = await validated(
      pool('{key: karpenter.k8s.aws/instance-type, operator: In, values: [m5.large]}'),
    );
    expect(text).toContain(
      'did you mean node.kubernetes.io/instance-type?\n    → write node.kubernetes.io/instance-type\n',
    );
    expect(code).toBe(1);
  });

  test.each([
    'example.com/instance-type',
    'team',
    'node.kubernetes.io/instance-type',
    'beta.kubernetes.io/instance-type',
  ])('%s gets none', async (key) => {
    const [text] = await validated(pool(`{key: ${key}, operator: In, values: [m5.large]}`));
    expect(text).toBe('1 object, all valid\n');
  });
});

test('a tag without a value gets a warning with what the term selects', async () => {
  const [text, code] = await validated(
    CLASS.replaceAll(
      'securityGroupSelectorTerms: [{tags: {team: a}}]',
      'securityGroupSelectorTerms: [{tags: {cluster-name: }}]',
    ),
  );
  expect(text).toContain(
    'a.yaml:8  warning  EC2NodeClass/default  spec.securityGroupSelectorTerms[0].tags.cluster-name: has no value, so the API server removes the tag, and the term selects everything in the region\n',
  );
  expect(code).toBe(0);
  const [both] = await validated(CLASS.replaceAll('{tags: {team: a}}', '{tags: {team: a, cluster-name: }}'));
  expect(both).toContain('the term selects without it');
});

test('a type without figures is named by validate and by simulate', async () => {
  const text = pool('{key: node.kubernetes.io/instance-type, operator: In, values: [g3s.xlarge]}');
  expect((await validated(text))[0]).toContain('g3s.xlarge: no figures are bundled');
  const { stdout, stderr } = await runKerf(['simulate', 'a.yaml', '--for', '1m', '--region', 'us-east-1'], {
    'a.yaml': CLASS + '---\n' + text,
  });
  expect(stdout + stderr).toContain('g3s.xlarge');
});

test.each(['"${jsonencode(x)}"', '__CPU__', '"{{ .Values.cpu }}"', '"${join("-", var.a)}"'])(
  'the placeholder %s is recognised',
  async (value) => {
    const [text, code] = await validated(
      pool(`{key: karpenter.k8s.aws/instance-cpu, operator: In, values: [${value}]}`),
    );
    expect(text).toMatch(/a placeholder that was not replaced|is a Terraform template .* that is not rendered/);
    expect(code).toBeGreaterThan(0);
  },
);

test('templates of a folder that name Karpenter are named, and unrelated ones are no errors', async () => {
  const { stdout, stderr, code } = await runKerf(['validate', 'charts'], {
    'charts/pools.tf': 'yaml_body = "apiVersion: karpenter.sh/v1"',
    'charts/network.tf': 'resource "aws_vpc" "a" {}',
    'charts/service.yaml': 'kind: Service\nname: {{ .Values.name }}\n',
    'charts/class.yaml': CLASS,
  });
  expect({ stdout, code }).toEqual({ stdout: '1 object, all valid\n', code: 0 });
  expect(stderr).toBe('charts/pools.tf: is not read, and names karpenter.sh: use what it renders, as YAML or JSON\n');
});

test('a name that is not indented below metadata is an error at its line', async () => {
  const [text] = await validated(pool('{key: team, operator: Exists}', 'metadata:\nname: general'));
  expect(text).toContain('a.yaml:3  error  NodePool  metadata: is missing\n');
  expect(text).toContain(
    'a.yaml:4  error  NodePool  name: this field does not belong here\n    → write it as metadata.name\n',
  );
});

test('an error in an inline provider has its own path and line', async () => {
  const [text] = await validated(`apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: a}
spec:
  provider:
    subnetSelector: {team: a}
    securityGroupSelector: {team: a}
    blockDeviceMappings:
      - deviceName: /dev/xvda
        ebs: {volumeSize: 50}
`);
  expect(text).toContain('a.yaml:10  ');
  expect(text).toContain('spec.provider.blockDeviceMappings[0].ebs.volumeSize');
});

test('a leading document with a comment is kept, and is not counted', async () => {
  const text = `# Copyright\n---\n${pool('{key: team, operator: Exists}').replace('karpenter.sh/v1', 'karpenter.sh/v1beta1')}`;
  const { stdout, stderr } = await runKerf(['convert', 'a.yaml'], { 'a.yaml': text });
  expect(stdout.startsWith('# Copyright\n---\n')).toBe(true);
  expect(stderr).toContain('1 of 1 document converted\n');
});

test('simulate has a class for a pool without one, and figures for ap-northeast-2', async () => {
  const text = pool('{key: topology.kubernetes.io/zone, operator: In, values: [ap-northeast-2a]}');
  const { stderr, stdout, code } = await runKerf(['simulate', 'k8s', '--for', '1m'], {
    'k8s/pool.yaml': text,
    'k8s/kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [pool.yaml]\n',
  });
  expect(code).toBe(0);
  expect(stdout + stderr).toContain('ap-northeast-2');
  expect(stdout + stderr).toContain('k8s/kustomization.yaml');
});
