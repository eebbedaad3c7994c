/** CoreDNS as in EKS: two replicas with preferred anti-affinity, a priority, a PodDisruptionBudget. */
import { succeed } from '../cluster/support/api-client.ts';

const LABELS = { 'k8s-app': 'kube-dns' };

const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
          ],
        },
      ],
    },
  },
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: LABELS } },
      },
    ],
  },
};

const CONTAINER = {
  name: 'coredns',
  image: 'coredns:v1.12.4-eksbuild.1',
  args: ['-conf', '/etc/coredns/Corefile'],
  resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
  ports: [{ containerPort: 53, name: 'dns', protocol: 'UDP' }],
};

const POD_SPEC = {
  priorityClassName: 'system-cluster-critical',
  dnsPolicy: 'Default',
  tolerations: [
    { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
    { key: 'CriticalAddonsOnly', operator: 'Exists' },
  ],
  affinity: AFFINITY,
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: LABELS },
    },
  ],
  containers: [CONTAINER],
};

export async function createCoreDns(): Promise<void> {
  const metadata = { name: 'coredns', namespace: 'kube-system', labels: LABELS };
  const template = { metadata: { labels: LABELS }, spec: POD_SPEC };
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: '25%' } };
  await succeed({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/kube-system/deployments',
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2, strategy, selector: { matchLabels: LABELS }, template },
    },
  });
  await succeed({
    method: 'POST',
    path: '/apis/policy/v1/namespaces/kube-system/poddisruptionbudgets',
    body: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: LABELS } },
    },
  });
}
