import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Node } from '../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import { type LearnedMemory, reportedMemory } from '../core/model/learned-memory.ts';
import type { ResolvedImage } from '../core/model/resolved-node-class.ts';

/**
 * C4: the memory of instance types as the nodes of the cluster report it, the smallest of each type and image. The functions learn the same
 * from these nodes, and what other clusters of the account have learned. *Cost:* O(nodes + NodeClaims).
 */
export function learnedFromNodes(
  { nodes, nodeClaims }: { readonly nodes: readonly Node[]; readonly nodeClaims: readonly NodeClaim[] },
  nowMs: number,
): readonly LearnedMemory[] {
  const claims = new Map(nodeClaims.map((claim) => [claim.status?.providerID, claim]));
  const learned = new Map<string, LearnedMemory>();
  for (const node of nodes) {
    const { providerID } = node.spec ?? {};
    const claim = providerID === undefined ? undefined : claims.get(providerID);
    const instanceType = claim?.metadata.labels?.[INSTANCE_TYPE];
    const imageId = claim?.status?.imageID;
    const memoryBytes = reportedMemory(node);
    if (instanceType === undefined || imageId === undefined || memoryBytes === undefined) continue;
    const key = `${instanceType} ${imageId}`;
    const before = learned.get(key)?.memoryBytes ?? Infinity;
    if (memoryBytes < before) learned.set(key, { instanceType, imageId, memoryBytes, untilMs: nowMs });
  }
  return [...learned.values()];
}

/** The images of the status, in their order. */
export function imagesInStatus({ status }: EC2NodeClass): readonly ResolvedImage[] {
  return (status?.amis ?? []).map(({ id, name = '', deprecated = false, requirements }) => {
    return { id, name, deprecated, requirements };
  });
}
