import { expect, test } from 'vitest';
import { CLASS } from '../../cli/manifest-texts.ts';
import { runKerf } from '../../cli/run-kerf.ts';

function pool(requirement = '{key: kubernetes.io/arch, operator: In, values: [amd64]}', labels = '{}'): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    metadata: {labels: ${labels}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [${requirement}]
`;
}

function workload(spec: string, kind = 'Deployment'): string {
  return `apiVersion: apps/v1
kind: ${kind}
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web}]
${spec === '' ? '' : `      ${spec}\n`}`;
}

const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "0 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          nodeSelector: {kubernetes.io/arch: arm64}
          containers: [{name: report, image: report}]
`;

function budget(app: string, namespace = 'shop'): string {
  return `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: ${namespace}}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: ${app}}}}
`;
}

async function warnings(...documents: readonly string[]): Promise<string> {
  const { stdout, code } = await runKerf(['validate', 'a.yaml'], { 'a.yaml': documents.join('---\n') });
  expect(code).toBe(0);
  return stdout;
}

const affinity = (app: string): string =>
  `affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: ${app}}}}]}}`;
const spread = (selector: string): string =>
  `topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule${selector}}]`;

test.each([
  [
    'a budget that selects no pod of its namespace',
    [workload(''), budget('wbe')],
    'PodDisruptionBudget/web  spec.selector: selects no pod of the workloads of namespace shop in these files',
  ],
  [
    'a spread that selects other pods',
    [workload(spread(', labelSelector: {matchLabels: {app: api}}'))],
    'topologySpreadConstraints[0].labelSelector: does not select the pods that have it',
  ],
  ['a spread without a selector', [workload(spread(''))], 'topologySpreadConstraints[0]: has no labelSelector'],
  [
    'an affinity to pods that are not in the files',
    [workload(affinity('cache'))],
    'podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: selects no pod of namespace shop',
  ],
  [
    'pods whose node selector no NodePool allows',
    [pool(), workload('nodeSelector: {kubernetes.io/arch: arm64}')],
    'spec.template.spec.nodeSelector: asks for nodes with kubernetes.io/arch In [arm64], which no NodePool of these files allows (general)',
  ],
  [
    'pods for a NodePool that is not in the files',
    [pool(), workload('nodeSelector: {karpenter.sh/nodepool: batch}')],
    'asks for nodes with karpenter.sh/nodepool In [batch]',
  ],
  [
    'pods whose label no NodePool with this label has',
    [pool(undefined, '{team: a}'), workload('nodeSelector: {team: b}')],
    'asks for nodes with team In [b]',
  ],
  [
    'pods whose node affinity no NodePool allows',
    [
      pool(),
      workload(
        'affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}]}}}',
      ),
    ],
    'spec.template.spec.affinity.nodeAffinity: asks for nodes with kubernetes.io/arch In [arm64]',
  ],
  ['pods of a CronJob', [pool(), CRON_JOB], 'spec.jobTemplate.spec.template.spec.nodeSelector: asks for nodes'],
])('%s has a warning', async (_, documents, message) => {
  expect(await warnings(...documents)).toContain(message);
});

test.each([
  ['a budget of a workload of the files', [workload(''), budget('web')]],
  ['a budget without workloads in the files', [budget('web')]],
  ['a budget of another namespace', [workload(''), budget('api', 'other')]],
  ['a spread of its own pods', [workload(spread(', labelSelector: {matchLabels: {app: web}}'))]],
  ['an affinity to its own pods', [workload(affinity('web'))]],
  ['a node selector that a NodePool allows', [pool(), workload('nodeSelector: {kubernetes.io/arch: amd64}')]],
  [
    'a label of EC2 that the NodePool leaves open',
    [pool(), workload('nodeSelector: {node.kubernetes.io/instance-type: m5.large}')],
  ],
  [
    'a label of nodes that the files do not define',
    [pool(), workload('nodeSelector: {eks.amazonaws.com/nodegroup: a}')],
  ],
  ['a node selector without a NodePool in the files', [workload('nodeSelector: {kubernetes.io/arch: arm64}')]],
  ['a DaemonSet for other nodes', [pool(), workload('nodeSelector: {kubernetes.io/os: windows}', 'DaemonSet')]],
])('%s has none', async (_, documents) => {
  expect(await warnings(...documents)).not.toContain('warning');
});

const nodeClass = (kubelet: string): string => `${CLASS}  kubelet: ${kubelet}\n`;
const SMALL = pool('{key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["5"]}');

function ofAnotherClass(nodePool: string): string {
  return `${nodePool}---\n${nodeClass('{}')}`.replaceAll('name: default', 'name: other');
}

test('a reservation larger than every type of a NodePool leaves no room for pods (C10, C11)', async () => {
  expect(await warnings(SMALL, nodeClass('{kubeReserved: {cpu: "4"}, systemReserved: {memory: 1Gi}}'))).toContain(
    'spec.kubelet.kubeReserved.cpu: leaves no cpu for pods on any instance type that NodePool general allows: the largest has 4\n    → write a smaller amount, or allow larger types',
  );
});

test('without a NodePool, the reservation is compared with all types', async () => {
  expect(await warnings(nodeClass('{systemReserved: {memory: 64Ti}}'))).toContain(
    'spec.kubelet.systemReserved.memory: leaves no memory for pods on any instance type: the largest has ',
  );
});

test.each([
  ['a type with more', pool(), '{kubeReserved: {cpu: "4"}}'],
  ['small types of another class', ofAnotherClass(SMALL), '{kubeReserved: {cpu: "4"}}'],
  ['an expression that depends on the type', SMALL, "{kubeReserved: {cpu: 'vcpus * 100'}}"],
])('there is no warning of a reservation with %s', async (_, nodePool, kubelet) => {
  expect(await warnings(nodePool, nodeClass(kubelet))).not.toContain('for pods on any instance type');
});
