import type { Filter, ResourceType, Tag, TagSpecification } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../../apis/labels.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { LaunchRequest } from '../../../core/model/node-claim-record.ts';
import { ownershipKey, ownershipTags } from '../../../core/model/ownership-tags.ts';

/**
 * C50, and the name of the claim, by which an unrecorded instance is found and adopted. Kerf's tags come last, so the tags of
 * the NodeClass cannot replace them.
 */
export function instanceTags(request: LaunchRequest): Labels {
  return {
    ...request.tags,
    [NODE_POOL]: request.nodePool,
    [NODE_CLASS]: request.nodeClass,
    [NODE_CLAIM_TAG]: request.nodeClaim,
    ...ownershipTags(request.cluster),
  };
}

/** Promise 4: an instance without both tags belongs to another owner. */
export function ownershipFilters(cluster: string): Filter[] {
  return [
    { Name: `tag:${ownershipKey(cluster)}`, Values: ['owned'] },
    { Name: 'tag-key', Values: [NODE_CLAIM_TAG] },
  ];
}

/** Ordered by key, so equal tags give equal requests. */
export function ec2Tags(tags: Labels): Tag[] {
  return Object.entries(tags)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([Key, Value]) => ({ Key, Value }));
}

/** Tag specifications with the same tags for several resource types. */
export function tagSpecifications(types: readonly ResourceType[], tags: Labels): TagSpecification[] {
  return types.map((ResourceType) => ({ ResourceType, Tags: ec2Tags(tags) }));
}

export function labelsOf(tags: readonly Tag[] | undefined): Labels {
  return Object.fromEntries((tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
}
