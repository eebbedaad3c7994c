import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION } from '../../apis/labels.ts';
import { canonicalJson, withoutOrder } from '../canonical-json.ts';
import { fingerprint } from '../identity.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { whyNotUsable } from './status/readiness.ts';

/** The rules are version 6 of Karpenter's, but the hash function is different, so the values are not compared with Karpenter's. */
const VERSION = 'kerf-6';

/** A3.26: selectors are compared by the resources that they find, and a new number of prefixes needs no new node. */
type Ignored =
  | 'subnetSelectorTerms'
  | 'securityGroupSelectorTerms'
  | 'capacityReservationSelectorTerms'
  | 'amiSelectorTerms'
  | 'ipPrefixCount'
  | 'amiFamily'
  | 'kubelet';

/**
 * The hash annotations, which show whether a node was launched with the present settings of its class.
 * *Source:* A3.26. The order of lists does not matter, except in the kubelet configuration.
 */
export function nodeClassHash(nodeClass: EC2NodeClass, certificateAuthority: string): Labels {
  const family = amiFamilyOf(nodeClass);
  const { kubelet = {}, ...spec } = nodeClass.spec;
  const content = [withoutOrder(hashedFields(spec)), family, certificateAuthority, canonicalJson(kubelet)];
  return { [NODE_CLASS_HASH]: fingerprint(canonicalJson(content)), [NODE_CLASS_HASH_VERSION]: VERSION };
}

/**
 * A3.26: as for a NodePool (A1.28), a launched claim with a hash of another version, or without one, gets that of its class, and does not count
 * as drifted. A claim that has drifted stays drifted. *Shape:* the same record while the class has no hash of its present spec.
 */
export function withCurrentClassHash(record: NodeClaimRecord, nodeClass: EC2NodeClass): NodeClaimRecord {
  const { annotations, launch, deletion, drift } = record;
  if (annotations[NODE_CLASS_HASH_VERSION] === VERSION || launch.kind !== 'launched' || deletion !== undefined)
    return record;
  const { [NODE_CLASS_HASH]: hash, [NODE_CLASS_HASH_VERSION]: version } = nodeClass.metadata.annotations ?? {};
  if (hash === undefined || version !== VERSION || whyNotUsable(nodeClass) !== undefined) return record;
  const kept = drift?.reason === 'NodeClassDrift' ? annotations[NODE_CLASS_HASH] : undefined;
  const current = { [NODE_CLASS_HASH]: kept ?? hash, [NODE_CLASS_HASH_VERSION]: VERSION };
  return { ...record, annotations: { ...annotations, ...current } };
}

function hashedFields(spec: Omit<EC2NodeClass['spec'], 'kubelet'>): Omit<EC2NodeClass['spec'], Ignored> {
  const {
    subnetSelectorTerms: _subnets,
    securityGroupSelectorTerms: _groups,
    capacityReservationSelectorTerms: _reservations,
    amiSelectorTerms: _images,
    ipPrefixCount: _prefixes,
    amiFamily: _family,
    ...counted
  } = spec;
  return counted;
}
