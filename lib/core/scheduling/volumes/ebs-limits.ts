import { once } from '../../kept-answers.ts';
import type { InstanceType } from '../../model/instance-type.ts';

/** A type of which only the limit of its EBS volumes matters. */
export type EbsType = Pick<InstanceType, 'ebsVolumes'>;

/** The limits that types share between volumes and network interfaces are below this. */
const MIN_DEDICATED = 31;
/** What most types without disks attach, and the most that any type attaches. */
const USUAL = 25;
const ANY = 127;

/** What pods can probably attach to a node, which has a second network interface if they share the limit. */
function documented({ ebsVolumes = USUAL + 1 }: EbsType): number {
  return ebsVolumes < MIN_DEDICATED ? Math.max(1, ebsVolumes - 1) : ebsVolumes;
}

/** More than a driver reserves on each node. */
const RESERVED_AT_MOST = 8;

/**
 * The EBS volumes that types without nodes attach. *Shape:* `probably`: what is documented, less what the driver reserves on all types with
 * nodes: a few volumes. If these attach far less, the driver has one limit for all nodes. `most`: what is documented.
 * @param byType the limits of the types with nodes
 */
export function ebsLimits(
  byType: ReadonlyMap<string, number>,
  typeNamed: (name: string) => EbsType,
): { readonly probably: (type: EbsType) => number; readonly most: (type: EbsType) => number } {
  const reserved = once(() =>
    byType.size === 0 ? 0 : Math.min(...[...byType].map(([name, limit]) => documented(typeNamed(name)) - limit)),
  );
  return {
    probably(type) {
      const volumes =
        reserved() > RESERVED_AT_MOST
          ? Math.min(documented(type), Math.max(...byType.values()))
          : documented(type) - Math.max(0, reserved());
      return Math.max(1, volumes);
    },
    most: ({ ebsVolumes = ANY }) => ebsVolumes,
  };
}
