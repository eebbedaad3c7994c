import type { Filter, ResourceType, Tag, TagSpecification } from '@aws-sdk/client-ec2';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG, NODE_CLASS, NODE_POOL } from '../../apis/labels.ts';
import { compareText } from '../../core/compare-text.ts';
import { ownershipKey, ownershipTags } from '../../core/node-claim/ownership-tags.ts';
import type { LaunchRequest } from '../../core/node-claim/record.ts';

/**
 * C50, and the claim's name from the start: an instance whose launch was not recorded is found by it and adopted. Ours
 * come last: the NodeClass's own tags cannot take an instance out of our sight.
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

/** Promise 4: an instance without both tags is not ours. */
export function ownershipFilters(cluster: string): Filter[] {
  return [
    { Name: `tag:${ownershipKey(cluster)}`, Values: ['owned'] },
    { Name: 'tag-key', Values: [NODE_CLAIM_TAG] },
  ];
}

/** In order of key, so that equal tags make equal requests. */
export function ec2Tags(tags: Labels): Tag[] {
  return Object.entries(tags)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([Key, Value]) => ({ Key, Value }));
}

/** The same tags on things of these types. */
export function tagSpecifications(types: readonly ResourceType[], tags: Labels): TagSpecification[] {
  return types.map((ResourceType) => ({ ResourceType, Tags: ec2Tags(tags) }));
}

export function labelsOf(tags: readonly Tag[] | undefined): Labels {
  return Object.fromEntries((tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
}
