import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { quote } from '../../apis/formats/quote.ts';
import { whyUserDataUnreadable } from '../../core/node-class/user-data/user-data.ts';
import {
  LARGEST_USER_DATA_BYTES,
  userDataBytes,
  WARNING_USER_DATA_BYTES,
} from '../../core/node-class/user-data/user-data-size.ts';
import { type FieldProblem, under } from '../../core/validation/field-problem.ts';
import { awsNameAdvice } from './aws-names.ts';
import { blockDeviceAdvice, repeatedDevices } from './block-devices.ts';
import { placeholders } from './placeholders.ts';
import { longName } from './values/label-names.ts';
import { grouped } from './values/words.ts';

/** Fields whose text is passed to AWS unchanged. User data is excluded, because shell scripts use braces and dollar signs. */
const LITERAL = [
  'subnetSelectorTerms',
  'securityGroupSelectorTerms',
  'amiSelectorTerms',
  'capacityReservationSelectorTerms',
  'role',
  'instanceProfile',
  'tags',
] as const;

/** Warns of settings in a valid EC2NodeClass that EC2 would reject or not find. */
export function nodeClassAdvice(nodeClass: EC2NodeClass): readonly FieldProblem[] {
  const { spec } = nodeClass;
  return [
    ...longName(nodeClass.metadata, 'karpenter.k8s.aws/ec2nodeclass'),
    ...awsNameAdvice(spec),
    ...LITERAL.flatMap((field) => placeholders(spec[field], ['spec', field])),
    ...(spec.blockDeviceMappings ?? []).flatMap((mapping, index) =>
      under(['spec', 'blockDeviceMappings', index], blockDeviceAdvice(mapping)),
    ),
    ...repeatedDevices(spec.blockDeviceMappings ?? []),
    ...largeUserData(nodeClass),
    ...unreadableUserData(nodeClass),
    ...noPods(spec.kubelet?.['maxPods']),
    ...noDnsAddresses(spec.kubelet?.clusterDNS),
    ...publicAddress(spec),
  ];
}

/** C75. Bottlerocket settings are rewritten without comments, so their size is unknown here. Nothing is added for Custom. */
function largeUserData(nodeClass: EC2NodeClass): readonly FieldProblem[] {
  const bytes = userDataBytes(nodeClass.spec.userData ?? '');
  const family = amiFamilyOf(nodeClass);
  const most = family === 'Custom' ? LARGEST_USER_DATA_BYTES : WARNING_USER_DATA_BYTES - 1;
  if (bytes <= most || family === 'Bottlerocket') return [];
  const limit = `at most ${grouped(LARGEST_USER_DATA_BYTES)}`;
  const added = bytes > LARGEST_USER_DATA_BYTES ? '' : ', including the script that joins the node to the cluster';
  const message = `has ${grouped(bytes)} bytes, but EC2 allows ${limit}${added}`;
  return [{ path: ['spec', 'userData'], message, allowed: 'less, and download the rest from S3 when the node starts' }];
}

/** C69–C72. Such a class launches no node. The API accepts it. */
function unreadableUserData(nodeClass: EC2NodeClass): readonly FieldProblem[] {
  const problem = whyUserDataUnreadable(nodeClass);
  return problem === undefined ? [] : [{ path: ['spec', 'userData'], ...problem }];
}

function noPods(maxPods: unknown): readonly FieldProblem[] {
  if (maxPods !== 0) return [];
  const message = 'is 0, so no pod can run on a node of this class, not even a DaemonSet pod';
  return [{ path: ['spec', 'kubelet', 'maxPods'], message, allowed: 'a number such as 110, or remove it' }];
}

/** C75. The kubelet ignores such an address, and Bottlerocket does not start with it. */
function noDnsAddresses(addresses: readonly string[] | undefined): readonly FieldProblem[] {
  return (addresses ?? []).flatMap((address, index) => {
    if (IP_ADDRESS.test(address)) return [];
    const message = `${quote(address)} is not an IP address, so pods on nodes of this class cannot resolve the names of Services`;
    const allowed = 'the address of the DNS Service, such as 10.100.0.10, or remove clusterDNS';
    return [{ path: ['spec', 'kubelet', 'clusterDNS', index], message, allowed }];
  });
}

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';
/** Of IPv6, only the characters are checked. */
const IP_ADDRESS = new RegExp(`^(?:${OCTET}(?:[.]${OCTET}){3}|[0-9a-f]*:[0-9a-f.]*:[0-9a-f:.]*)$`, 'i');

/** A3.11. EC2 assigns a public address only to an instance with one network interface. */
function publicAddress({
  associatePublicIPAddress,
  networkInterfaces = [],
}: EC2NodeClass['spec']): readonly FieldProblem[] {
  if (associatePublicIPAddress !== true || networkInterfaces.length < 2) return [];
  const message = `is true, but EC2 refuses to launch instances with a public address and ${networkInterfaces.length} networkInterfaces`;
  const allowed = 'false, or remove it, or keep one network interface';
  return [{ path: ['spec', 'associatePublicIPAddress'], message, allowed }];
}
