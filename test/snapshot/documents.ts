/** Minimal snapshot documents for tests. */

type Json = Readonly<Record<string, unknown>>;

const REQUIREMENTS = [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }];

/** A NodePool without the defaults of the API server. */
export function aGivenPool(name = 'general', spec: Json = {}, over: Json = {}): Json {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return {
    metadata: { name },
    spec: { template: { spec: { nodeClassRef, requirements: REQUIREMENTS } }, ...spec },
    ...over,
  };
}

/** A type with 4 GiB for each CPU, on-demand and spot in two zones, without overhead. */
export function aGivenType(name = 'm5.large', cpu = 2, over: Json = {}): Json {
  const offerings = ['us-east-1a', 'us-east-1b'].flatMap((zone) => [
    { capacityType: 'on-demand', zone, price: cpu * 0.05 },
    { capacityType: 'spot', zone, price: cpu * 0.02 },
  ]);
  return { name, capacity: { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' }, offerings, ...over };
}

/** A pod that requests one CPU. */
export function aGivenPod(name = 'web-1', spec: Json = {}, over: Json = {}): Json {
  return {
    metadata: { name },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1', memory: '1Gi' } } }], ...spec },
    ...over,
  };
}

/** A ready node of the NodePool `general`; `aGivenClaim` of the same name has the same providerID. */
export function aGivenNode(name = 'node-1', over: Json = {}): Json {
  return {
    metadata: { name, labels: { ...PLACE, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' } },
    spec: { providerID: `aws:///us-east-1a/i-${name.replace('-', '')}` },
    status: { capacity: { cpu: '2', memory: '8Gi', pods: '29' }, allocatable: { cpu: '2', memory: '8Gi', pods: '29' } },
    ...over,
  };
}

const PLACE = {
  'karpenter.sh/nodepool': 'general',
  'karpenter.sh/capacity-type': 'on-demand',
  'node.kubernetes.io/instance-type': 'm5.large',
  'topology.kubernetes.io/zone': 'us-east-1a',
};

export function aGivenClaim(node = 'node-1', status: Json = {}, over: Json = {}): Json {
  return {
    metadata: { name: `claim-${node}`, labels: PLACE },
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] },
    status: { providerID: `aws:///us-east-1a/i-${node.replace('-', '')}`, ...status },
    ...over,
  };
}

/** One pool, three sizes of one type, and no pods. */
export function aDocument(over: Json = {}): Json {
  return {
    name: 'test',
    options: { now: '2026-01-31T08:00:00Z' },
    nodePools: [aGivenPool()],
    instanceTypes: [aGivenType(), aGivenType('m5.xlarge', 4), aGivenType('m5.2xlarge', 8)],
    pods: [],
    ...over,
  };
}
