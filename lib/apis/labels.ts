/** Names of labels, annotations and finalizers (A6.1–A6.8, C15–C23), and the list of well-known labels. */

export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
export const ARCH = 'kubernetes.io/arch';
/** Every instance type has this label. */
export const INSTANCE_MEMORY = 'karpenter.k8s.aws/instance-memory';
export const INSTANCE_FAMILY = 'karpenter.k8s.aws/instance-family';
export const INSTANCE_CATEGORY = 'karpenter.k8s.aws/instance-category';
export const INSTANCE_GENERATION = 'karpenter.k8s.aws/instance-generation';
export const OS = 'kubernetes.io/os';
export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
export const ZONE_ID = 'topology.k8s.aws/zone-id';
export const WINDOWS_BUILD = 'node.kubernetes.io/windows-build';

export const NODE_POOL = 'karpenter.sh/nodepool';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const REGISTERED = 'karpenter.sh/registered';
export const INITIALIZED = 'karpenter.sh/initialized';
export const NODE_CLASS = 'karpenter.k8s.aws/ec2nodeclass';
export const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';
export const RESERVATION_TYPE = 'karpenter.k8s.aws/capacity-reservation-type';
export const RESERVATION_INTERRUPTIBLE = 'karpenter.k8s.aws/capacity-reservation-interruptible';
/** C22: the labels that identify reserved capacity and its reservation. */
export const RESERVATION_LABELS: ReadonlySet<string> = new Set([
  RESERVATION_ID,
  RESERVATION_TYPE,
  RESERVATION_INTERRUPTIBLE,
]);
export const TENANCY = 'karpenter.k8s.aws/instance-tenancy';
export const PLACEMENT_PARTITION = 'karpenter.k8s.aws/placement-group-partition';
/** C19: whether the instance type supports AWS Nitro Enclaves. */
export const NITRO_SANDBOX = 'karpenter.k8s.aws/nitro-sandbox';
export const NODE_CLAIM_TAG = 'karpenter.sh/nodeclaim';
export const EXCLUDE_FROM_BALANCERS = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** B24: set on a NodeClaim with fewer values than minValues requires. */
export const MIN_VALUES_RELAXED = 'karpenter.sh/nodeclaim-min-values-relaxed';
export const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
export const DO_NOT_SYNC_TAINTS = 'karpenter.sh/do-not-sync-taints';
/** A4.10: set on a NodeClaim whose price or capacity a NodeOverlay changed. */
export const PRICE_OVERLAY_APPLIED = 'karpenter.sh/price-overlay-applied';
export const CAPACITY_OVERLAY_APPLIED = 'karpenter.sh/capacity-overlay-applied';
/** C84: set on a NodeClaim whose instance has all its tags. */
export const TAGGED = 'karpenter.k8s.aws/tagged';
/** D18: set on a NodeClaim that is being deleted: the time at which its remaining pods are deleted. */
export const TERMINATION_TIMESTAMP = 'karpenter.sh/nodeclaim-termination-timestamp';
export const TERMINATION_FINALIZER = 'karpenter.sh/termination';
/** A3.1: set on an EC2NodeClass. */
export const NODE_CLASS_FINALIZER = 'karpenter.k8s.aws/termination';
/** A1.27: the hash of a NodePool's template, which shows whether a node matches the present template. */
export const NODE_POOL_HASH = 'karpenter.sh/nodepool-hash';
export const NODE_POOL_HASH_VERSION = 'karpenter.sh/nodepool-hash-version';
/** A3.26: the hash of an EC2NodeClass, which shows whether a node matches the present class. */
export const NODE_CLASS_HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
export const NODE_CLASS_HASH_VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
/** C54. */
export const INSTANCE_PROFILE_NAME = 'karpenter.k8s.aws/instance-profile-name';
/** On a NodeClaim and on an Event: the name of the decision that they belong to, as in the log. */
export const DECISION = 'kerf.dev/decision';
/** E8, G7: set by users on a NodePool: the IANA name of the time zone in which the schedules of its budgets are. */
export const BUDGET_TIME_ZONE = 'kerf.dev/budget-time-zone';
/** D14: set by users on a NodePool, and copied to its NodeClaims: how long an expired node may be replaced as a drifted one before it is deleted. */
export const GRACEFUL_EXPIRATION = 'kerf.dev/graceful-expiration';
/** Set by users on a NodePool: what a consolidation of its nodes must save, as `5%` of their price or `$0.02` per hour. */
export const MINIMUM_SAVING = 'kerf.dev/minimum-saving';
/** Set by users on a NodePool: how long consolidation leaves alone the nodes that it launched and the workloads that it moved. */
export const COOL_DOWN = 'kerf.dev/disruption-cool-down';
/** Set by users on a NodePool: how many pods of a workload consolidation evicts in an hour. */
export const MAX_EVICTIONS_PER_HOUR = 'kerf.dev/max-evictions-per-hour';
/** Set by users on a NodePool: the most that a node may cost while capacity is missing, as a multiple of the cheapest compatible one. */
export const MAX_PRICE_FACTOR = 'kerf.dev/max-price-factor';
export const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export type CapacityType = 'on-demand' | 'spot' | 'reserved';
export const CAPACITY_TYPES: readonly CapacityType[] = ['on-demand', 'spot', 'reserved'];

const AWS_PREFIX = 'karpenter.k8s.aws/';

/** C16–C23: the labels that the EC2 provider sets on a node, without their prefix. */
const AWS_LABELS = [
  'ec2nodeclass',
  'instance-category',
  'instance-generation',
  'instance-family',
  'instance-size',
  'instance-capability-flex',
  'instance-cpu',
  'instance-cpu-manufacturer',
  'instance-cpu-sustained-clock-speed-mhz',
  'instance-memory',
  'instance-ebs-bandwidth',
  'instance-network-bandwidth',
  'instance-local-nvme',
  'instance-hypervisor',
  'instance-encryption-in-transit-supported',
  'instance-tenancy',
  'nitro-sandbox',
  'instance-gpu-name',
  'instance-gpu-manufacturer',
  'instance-gpu-count',
  'instance-gpu-memory',
  'instance-accelerator-name',
  'instance-accelerator-manufacturer',
  'instance-accelerator-count',
  'capacity-reservation-id',
  'capacity-reservation-type',
  'capacity-reservation-interruptible',
  'placement-group-id',
  'placement-group-partition',
] as const;

export const AWS_WELL_KNOWN_LABELS: readonly string[] = AWS_LABELS.map((name) => AWS_PREFIX + name);

/** A6.2: labels that a pod may require although the NodePool does not set them, because the instance type defines them. */
export const WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  NODE_POOL,
  ZONE,
  ZONE_ID,
  REGION,
  INSTANCE_TYPE,
  ARCH,
  OS,
  CAPACITY_TYPE,
  WINDOWS_BUILD,
  ...AWS_WELL_KNOWN_LABELS,
]);

/** A0.6: the current names of deprecated labels. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': ZONE,
  'failure-domain.beta.kubernetes.io/region': REGION,
  'beta.kubernetes.io/arch': ARCH,
  'beta.kubernetes.io/os': OS,
  'beta.kubernetes.io/instance-type': INSTANCE_TYPE,
  'topology.ebs.csi.aws.com/zone': ZONE,
};

/** Returns the current name of a label (A0.6). */
export function currentLabelName(key: string): string {
  return Object.hasOwn(RENAMED, key) ? (RENAMED[key] ?? key) : key;
}

/** The region of a zone name: `eu-west-3a` is in `eu-west-3`; undefined where the text is not a zone name. */
export function regionOfZone(zone: string): string | undefined {
  return /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/.exec(zone)?.[1];
}
