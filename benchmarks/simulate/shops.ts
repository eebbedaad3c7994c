/** The manifests of the simulated cluster: Deployments with a PodDisruptionBudget each, and two agents on every node. */

const REQUESTS = [
  { cpu: '500m', memory: '1Gi' },
  { cpu: '750m', memory: '1536Mi' },
  { cpu: '1', memory: '2Gi' },
];

export const NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: 'KarpenterNodeRole-bench',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'bench' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'bench' } }],
  },
};

interface PoolOptions {
  readonly architectures: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly consolidateAfter: string;
  /** Of each node, so that the number of nodes is known. @default any */
  readonly cpu?: string;
}

/** The NodePool `general` for the categories c, m and r above generation 4 in three zones. */
export function nodePool({ architectures, capacityTypes, consolidateAfter, cpu }: PoolOptions): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: architectures },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: capacityTypes },
            { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1a', 'us-east-1b', 'us-east-1c'] },
            { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
            { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
            ...(cpu === undefined ? [] : [{ key: 'karpenter.k8s.aws/instance-cpu', operator: 'In', values: [cpu] }]),
          ],
        },
      },
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter },
    },
  };
}

export function shops(count: number, replicas: number): readonly object[] {
  const each = Array.from({ length: count }, (_, at) => [shop(at, replicas), budget(at)]).flat();
  return [...each, agent('network', '50m', '64Mi'), agent('logs', '100m', '200Mi')];
}

function shop(at: number, replicas: number): object {
  const labels = { app: `shop-${at}` };
  const spread = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `shop-${at}` },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'main', image: 'shop', resources: { requests: REQUESTS[at % REQUESTS.length] } }],
          // One in four must be spread over the zones.
          ...(at % 4 === 0 && { topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labels } }] }),
        },
      },
    },
  };
}

function budget(at: number): object {
  const name = `shop-${at}`;
  const spec = { maxUnavailable: '20%', selector: { matchLabels: { app: name } } };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec };
}

export function agent(name: string, cpu: string, memory: string): object {
  const labels = { agent: name };
  const containers = [{ name: 'main', image: name, resources: { requests: { cpu, memory } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, tolerations: [{ operator: 'Exists' }] } },
    },
  };
}
