import type { Node } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { CsiNode } from '../../../apis/storage.ts';

/** The CSINode of a node: the number of EBS volumes that pods can attach to it, without its root volume. */
export function attachableVolumes({ metadata }: Node): CsiNode {
  const count = ebsVolumes(metadata.labels?.[INSTANCE_TYPE] ?? '');
  return {
    metadata: { name: metadata.name },
    spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count } }] },
  };
}

/** Most instance types have 28 attachments for volumes and network interfaces, of which a node uses three. */
const SHARED = 25;

/** The families before the eighth generation with a limit for volumes alone. */
const DEDICATED: ReadonlySet<string> = new Set([
  'm7a',
  'm7i',
  'm7i-flex',
  'c7a',
  'c7i',
  'c7i-flex',
  'r7a',
  'r7i',
  'r7iz',
  'i7ie',
  'g6',
  'g6e',
  'gr6',
]);

/** The limits of these families and of later generations, by size; 32 for smaller sizes. */
const DEDICATED_LIMITS: ReadonlyMap<string, number> = new Map([
  ['16xlarge', 48],
  ['24xlarge', 64],
  ['32xlarge', 88],
  ['48xlarge', 128],
  ['metal-16xl', 39],
  ['metal-24xl', 39],
  ['metal-32xl', 79],
  ['metal-48xl', 79],
]);
const SMALL_DEDICATED = 32;

/** *Source:* the page "Amazon EBS volume limits for Amazon EC2 instances" of the EC2 user guide. */
function ebsVolumes(instanceType: string): number {
  const [family = '', size = ''] = instanceType.split('.');
  const generation = Number(/^[a-z]+(\d+)/.exec(family)?.[1] ?? 0);
  if (generation < 8 && !DEDICATED.has(family)) return SHARED;
  return (DEDICATED_LIMITS.get(size) ?? SMALL_DEDICATED) - 1;
}
