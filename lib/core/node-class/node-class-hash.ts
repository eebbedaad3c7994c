import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION } from '../../apis/labels.ts';
import { canonicalJson, withoutOrder } from '../canonical-json.ts';
import { fingerprint } from '../identity.ts';

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
