import { parseNillableDuration } from '../../apis/formats/duration.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_POOL_HASH, NODE_POOL_HASH_VERSION } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { canonicalJson, withoutOrder } from '../canonical-json.ts';
import { fingerprint } from '../identity.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/** The hashed fields are those of Karpenter. The hash function is Kerf's own, so hashes of other versions are not comparable. */
const VERSION = 'kerf-3';

/**
 * A1.27: the annotations that show whether a node matches the template of its pool. Their values change with every field of
 * the template that affects a node. Requirements are not hashed: they are compared with the labels of the node. The format of
 * durations, empty values and the order of lists do not affect the hash.
 */
export function nodePoolHash({ spec }: NodePool): Labels {
  const { metadata = {}, spec: template } = spec.template;
  const { requirements: _, expireAfter, terminationGracePeriod, ...counted } = template;
  const durations = [expireAfter, terminationGracePeriod].map((one) => one && parseNillableDuration(one));
  const content = withoutOrder(withoutZeros([metadata, counted, durations]));
  return { [NODE_POOL_HASH]: fingerprint(canonicalJson(content)), [NODE_POOL_HASH_VERSION]: VERSION };
}

/**
 * A1.28: a claim with a hash of another version gets a new hash, and does not count as drifted. A claim that differs from the
 * template already keeps its hash, and only the version is replaced, so it stays drifted.
 */
export function withCurrentPoolHash(record: NodeClaimRecord, nodePool: NodePool): NodeClaimRecord {
  if (record.annotations[NODE_POOL_HASH_VERSION] === VERSION || record.deletion !== undefined) return record;
  const current =
    record.drift?.reason === 'NodePoolDrifted' ? { [NODE_POOL_HASH_VERSION]: VERSION } : nodePoolHash(nodePool);
  return { ...record, annotations: { ...record.annotations, ...current } };
}

function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeros);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) => [key, withoutZeros(part)] as const);
  return Object.fromEntries(parts.filter(([, part]) => !['', '[]', '{}', 'null', '""'].includes(canonicalJson(part))));
}
