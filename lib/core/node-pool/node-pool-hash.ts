import { parseNillableDuration } from '../../apis/duration.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_POOL_HASH, NODE_POOL_HASH_VERSION } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { canonicalJson, withoutOrder } from '../canonical-json.ts';
import { fingerprint } from '../identity.ts';
import type { NodeClaimRecord } from '../node-claim/record.ts';

/** What is counted is Karpenter's, the function is ours: its values are compared with no others. */
const VERSION = 'kerf-3';

/**
 * A1.27: the annotations by which a node is known to be as its pool's template says: they change where a node would.
 * Requirements are compared with the node's labels instead; how a duration is written, what is empty, and the order of a
 * list are no difference.
 */
export function nodePoolHash({ spec }: NodePool): Labels {
  const { metadata = {}, spec: template } = spec.template;
  const { requirements: _, expireAfter, terminationGracePeriod, ...counted } = template;
  const durations = [expireAfter, terminationGracePeriod].map((one) => one && parseNillableDuration(one));
  const content = withoutOrder(withoutZeros([metadata, counted, durations]));
  return { [NODE_POOL_HASH]: fingerprint(canonicalJson(content)), [NODE_POOL_HASH_VERSION]: VERSION };
}

/** A1.28: a claim that another version of the rules marked is marked anew, never taken for one that differs. */
export function restamped(record: NodeClaimRecord, nodePool: NodePool): NodeClaimRecord {
  if (record.annotations[NODE_POOL_HASH_VERSION] === VERSION || record.deletion !== undefined) return record;
  return { ...record, annotations: { ...record.annotations, ...nodePoolHash(nodePool) } };
}

function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeros);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) => [key, withoutZeros(part)] as const);
  return Object.fromEntries(parts.filter(([, part]) => !['', '[]', '{}', 'null', '""'].includes(canonicalJson(part))));
}
