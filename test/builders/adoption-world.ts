import { formatTime } from '../../lib/apis/formats/time.ts';
import type { Node } from '../../lib/apis/kubernetes.ts';
import type { NodeClaim } from '../../lib/apis/node-claim.ts';
import type { AdoptionWorld, ClusterInstance } from '../../lib/core/node-claim/adoption/adoption-plan.ts';
import { aFoundInstance, claimSpec } from './node-claims.ts';
import { aNodePool } from './node-pools.ts';
import { aNode } from './nodes.ts';
import { HOUR, NOW_MS } from './times.ts';

const DAY_AGO = formatTime(NOW_MS - 24 * HOUR);

/** A NodeClaim of Karpenter 1.x whose node was initialized a day ago. */
export function aKarpenterClaim(
  name: string,
  instanceId: string,
  over: Partial<NodeClaim['metadata']> = {},
): NodeClaim {
  const condition = (type: string) => ({ type, status: 'True' as const, reason: type, lastTransitionTime: DAY_AGO });
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: DAY_AGO,
      finalizers: ['karpenter.sh/termination'],
      labels: {
        'karpenter.sh/nodepool': 'general',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'karpenter.sh/capacity-type': 'on-demand',
        'node.kubernetes.io/instance-type': 'm5.large',
        'topology.kubernetes.io/zone': 'eu-west-3a',
      },
      annotations: {
        'karpenter.sh/nodepool-hash': '123',
        'karpenter.sh/nodepool-hash-version': 'v3',
        'karpenter.k8s.aws/ec2nodeclass-hash': '456',
        'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v4',
      },
      ...over,
    },
    spec: claimSpec(),
    status: {
      providerID: `aws:///eu-west-3a/${instanceId}`,
      nodeName: `node-${name}`,
      imageID: 'ami-amd64',
      lastPodEventTime: DAY_AGO,
      conditions: ['Launched', 'Registered', 'Initialized', 'Ready', 'Consolidatable'].map(condition),
    },
  };
}

export function aClusterInstance(id: string, nodeClaim: string, over: Partial<ClusterInstance> = {}): ClusterInstance {
  const tags = {
    'kubernetes.io/cluster/demo': 'owned',
    'eks:eks-cluster-name': 'demo',
    'karpenter.sh/nodepool': 'general',
    ...(nodeClaim === '' ? {} : { 'karpenter.sh/nodeclaim': nodeClaim }),
  };
  return { ...aFoundInstance({ id, nodeClaim }), tags, ...over };
}

export function aJoinedNode(claim: string, instanceId: string): Node {
  const labels = { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' };
  const node = aNode({ name: `node-${claim}`, labels });
  return { ...node, spec: { ...node.spec, providerID: `aws:///eu-west-3a/${instanceId}` } };
}

export function anAdoptionWorld(over: Partial<AdoptionWorld> = {}): AdoptionWorld {
  return {
    cluster: 'demo',
    nodePools: [aNodePool()],
    nodeClasses: [],
    nodes: [],
    nodeClaims: [],
    instances: [],
    records: new Map(),
    ...over,
  };
}
