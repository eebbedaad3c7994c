import type { Node } from '../../../apis/kubernetes.ts';
import { isNode } from '../project/project.ts';
import type { ProtobufList } from './list-decoder.ts';
import { OBJECT_META_MESSAGE } from './metadata.ts';
import { field, message } from './schema.ts';

/** The fields that `nodeOf` reads from a node's JSON: k8s.io/api `core/v1/generated.proto`. */

const TAINT = message({
  1: field('key', 'given-text'),
  2: field('value', 'text'),
  3: field('effect', 'given-text'),
  4: field('timeAdded', 'time'),
});

const NODE_SPEC = message({
  3: field('providerID', 'text'),
  4: field('unschedulable', 'flag'),
  5: field('taints', 'messages', { message: TAINT }),
});

const CONDITION = message({
  1: field('type', 'given-text'),
  2: field('status', 'given-text'),
  4: field('lastTransitionTime', 'time'),
  5: field('reason', 'text'),
  6: field('message', 'text'),
});

const NODE_STATUS = message({
  1: field('capacity', 'quantity-by-name', { shared: true }),
  2: field('allocatable', 'quantity-by-name', { shared: true }),
  4: field('conditions', 'messages', { message: CONDITION }),
});

const NODE = message({
  1: field('metadata', 'message', { message: OBJECT_META_MESSAGE }),
  2: field('spec', 'message', { message: NODE_SPEC }),
  3: field('status', 'message', { message: NODE_STATUS }),
});

export const NODE_LIST: ProtobufList<Node> = { listKind: 'NodeList', item: NODE, is: isNode };
