import type { Node } from '../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { type NodeClaimRecord, providerIdOf } from '../../lib/core/model/node-claim-record.ts';
import { anInstance, launchedClaim } from './node-claims.ts';
import { aPoolView } from './node-pools.ts';
import { aNode, type NodeOptions } from './nodes.ts';
import { HOUR, NOW_MS } from './times.ts';

/** The cluster `demo` with one pool and no nodes or pods. */
export function aSnapshot(over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    cluster: 'demo',
    epoch: 1,
    nodePools: [aPoolView()],
    nodes: [],
    pods: [],
    daemonSets: [],
    podDisruptionBudgets: [],
    nodeClaims: [],
    commands: [],
    unavailable: [],
    nominated: [],
    ...over,
  };
}

/** A node of Kerf that has run for an hour, and its claim. `name` is the name of the node; the claim is named `claim-NAME`. */
export function initializedNode(
  options: NodeOptions = {},
  claim: Partial<NodeClaimRecord> = {},
): { readonly node: Node; readonly nodeClaim: NodeClaimRecord } {
  const { name = 'node-1', zone = 'eu-west-3a' } = options;
  const instance = { id: `i-${name}`, zone };
  const startedAtMs = NOW_MS - HOUR;
  return {
    nodeClaim: launchedClaim(
      {
        name: `claim-${name}`,
        createdAtMs: startedAtMs,
        nodeName: name,
        registeredAtMs: startedAtMs,
        initializedAtMs: startedAtMs,
        ...claim,
      },
      instance,
    ),
    node: aNode({
      name,
      zone,
      providerId: providerIdOf(anInstance(instance)),
      ...options,
      labels: {
        'karpenter.sh/nodepool': claim.nodePool ?? 'general',
        'karpenter.sh/capacity-type': 'on-demand',
        'node.kubernetes.io/instance-type': 'm5.large',
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        ...options.labels,
      },
    }),
  };
}

/** A snapshot with these nodes of Kerf. */
export function snapshotOf(
  nodes: readonly { readonly node: Node; readonly nodeClaim: NodeClaimRecord }[],
  over: Partial<ClusterSnapshot> = {},
): ClusterSnapshot {
  return aSnapshot({
    nodes: nodes.map(({ node }) => node),
    nodeClaims: nodes.map(({ nodeClaim }) => nodeClaim),
    ...over,
  });
}
