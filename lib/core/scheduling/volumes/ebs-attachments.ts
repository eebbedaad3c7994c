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

/**
 * The EBS volumes that pods can attach to a node of the instance type, without its root volume. Disks of the type and further volumes of
 * the node leave fewer: its CSINode has the exact number.
 * *Source:* the page "Amazon EBS volume limits for Amazon EC2 instances" of the EC2 user guide.
 */
export function ebsAttachments(instanceType: string): number {
  const [family = '', size = ''] = instanceType.split('.');
  const generation = Number(/^[a-z]+(\d+)/.exec(family)?.[1] ?? 0);
  if (generation < 8 && !DEDICATED.has(family)) return SHARED;
  return (DEDICATED_LIMITS.get(size) ?? SMALL_DEDICATED) - 1;
}
