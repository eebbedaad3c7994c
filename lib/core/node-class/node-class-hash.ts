import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION } from '../../apis/labels.ts';
import { canonicalJson, withoutOrder } from '../canonical-json.ts';
import { fingerprint } from '../identity.ts';

/** The rules are Karpenter's sixth, the function is ours: its values are compared with no others. */
const VERSION = 'kerf-6';

/** A3.26: what selects is compared by what it finds, and a change of the number of prefixes needs no new node. */
type Ignored =
  | 'subnetSelectorTerms'
  | 'securityGroupSelectorTerms'
  | 'capacityReservationSelectorTerms'
  | 'amiSelectorTerms'
  | 'ipPrefixCount'
  | 'amiFamily'
  | 'kubelet';

/**
 * The annotations by which a node is known to be launched as its class says: they change where its instances would.
 * *Source:* A3.26. The order of a list is no difference, but for those of the kubelet.
 */
export function nodeClassHash(nodeClass: EC2NodeClass, certificateAuthority: string): Labels {
  const family = amiFamilyOf(nodeClass);
  const { kubelet = {}, ...spec } = nodeClass.spec;
  const content = [withoutOrder(fieldsThatCount(spec)), family, certificateAuthority, canonicalJson(kubelet)];
  return { [NODE_CLASS_HASH]: fingerprint(canonicalJson(content)), [NODE_CLASS_HASH_VERSION]: VERSION };
}

function fieldsThatCount(spec: Omit<EC2NodeClass['spec'], 'kubelet'>): Omit<EC2NodeClass['spec'], Ignored> {
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
