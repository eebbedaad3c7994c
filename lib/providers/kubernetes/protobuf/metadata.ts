import { isNominationOfKerf } from '../../../core/cluster/nominated-node.ts';
import { isKeptPodAnnotation } from '../project/kept-annotations.ts';
import { LAST_APPLIED } from '../project/project.ts';
import { field, type Message, message } from './schema.ts';

/** The fields that are read from the metadata of every kind: k8s.io/apimachinery `meta/v1/generated.proto`. */

const OWNER_REFERENCE = message({
  1: field('kind', 'given-text'),
  3: field('name', 'given-text'),
  4: field('uid', 'given-text'),
  5: field('apiVersion', 'given-text'),
  6: field('controller', 'given-flag'),
  7: field('blockOwnerDeletion', 'given-flag'),
});

const OBJECT_META_FIELDS = {
  1: field('name', 'text', { unique: true }),
  3: field('namespace', 'text'),
  5: field('uid', 'text', { unique: true }),
  6: field('resourceVersion', 'text', { unique: true }),
  7: field('generation', 'number'),
  8: field('creationTimestamp', 'time'),
  9: field('deletionTimestamp', 'time'),
  10: field('deletionGracePeriodSeconds', 'given-number'),
  11: field('labels', 'text-by-name', { shared: true }),
  12: field('annotations', 'text-by-name', { keepsEntry: (key) => key !== LAST_APPLIED }),
  13: field('ownerReferences', 'messages', { message: OWNER_REFERENCE, shared: true }),
  14: field('finalizers', 'texts'),
};

export const OBJECT_META_MESSAGE: Message = message(OBJECT_META_FIELDS);

const MANAGED_FIELDS = message({ 1: field('manager', 'text'), 8: field('subresource', 'text') });

/** Of `managedFields`, only the entry of Kerf's nomination is kept, and of the annotations only those that are read. */
export const POD_META_MESSAGE: Message = message({
  ...OBJECT_META_FIELDS,
  12: field('annotations', 'text-by-name', { keepsEntry: isKeptPodAnnotation }),
  17: field('managedFields', 'messages', { message: MANAGED_FIELDS, keeps: isNominationOfKerf }),
});

const SELECTOR_REQUIREMENT = message({
  1: field('key', 'given-text'),
  2: field('operator', 'given-text'),
  3: field('values', 'texts'),
});

export const LABEL_SELECTOR_MESSAGE: Message = message({
  1: field('matchLabels', 'text-by-name'),
  2: field('matchExpressions', 'messages', { message: SELECTOR_REQUIREMENT }),
});

export const NODE_SELECTOR_TERM_MESSAGE: Message = message({
  1: field('matchExpressions', 'messages', { message: SELECTOR_REQUIREMENT }),
  2: field('matchFields', 'messages', { message: SELECTOR_REQUIREMENT }),
});
