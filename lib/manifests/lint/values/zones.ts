import { regionOfZone } from '../../../apis/labels.ts';
import type { KnownFigures } from './known-figures.ts';

type Zones = KnownFigures['zones'];

/** Why a value is unknown. */
export interface Unknown {
  /** Follows the value. */
  readonly message: string;
  readonly allowed: () => string;
  /** The correct value, where it is known. */
  readonly meant?: () => string | undefined;
  /** True if EC2 may have the value. */
  readonly mayExist?: boolean;
}

/** `us-west-2-lax-1a`, `us-east-1-wl1-bos-wlz-1`: local and wavelength zones, which the bundled data leaves out. */
const LOCAL_ZONE = /^([a-z]{2}(?:-[a-z]+)+-\d)-[a-z0-9]+(?:-[a-z0-9]+)*$/;
const REGION_NAME = /^[a-z]{2}(?:-[a-z]+)+-\d$/;
const ZONE_ID = /^[a-z]{2,5}\d-az\d$/;
/** Any name that may be a zone, including those of future partitions. */
const LIKE_A_ZONE = /^[a-z]+(?:-[a-z]+)+-\d+[a-z0-9-]*$/;

/** Returns why a zone is unknown; undefined where it exists, or where its region is not in the bundled data. */
export function whyNoZone(zone: string, zones: Zones): Unknown | undefined {
  if (REGION_NAME.test(zone)) {
    const known = [...(zones.get(zone)?.keys() ?? [])];
    const allowed = () => `its zones, such as ${known.join(', ') || `${zone}a`}`;
    return { message: 'is a region, not a zone', allowed };
  }
  if (ZONE_ID.test(zone)) {
    return { message: 'is the id of a zone, not its name', allowed: allowedForId };
  }
  if (!LIKE_A_ZONE.test(zone)) {
    const meant = regionOfZone(zone.toLowerCase()) === undefined ? undefined : zone.toLowerCase();
    return {
      message: 'is not a zone',
      allowed: () => meant ?? 'names of zones, such as us-east-1a',
      meant: () => meant,
    };
  }
  const region = regionOfZone(zone);
  const ofRegion = region === undefined ? undefined : zones.get(region);
  if (region === undefined || ofRegion === undefined || mayHaveLetter(ofRegion, zone.slice(-1))) return undefined;
  const allowed = () => `one of ${[...ofRegion.keys()].toSorted().join(', ')}`;
  return { message: `is not a known zone of ${region}`, allowed };
}

function allowedForId(): string {
  return 'the name of the zone, or use the label topology.k8s.aws/zone-id';
}

/** Accounts see different zones of an old region (us-west-1). The zone ids limit the number of possible letters. */
function mayHaveLetter(zones: ReadonlyMap<string, string>, letter: string): boolean {
  const numbers = [...zones.values()].map((id) => Number(/\d+$/.exec(id)?.[0] ?? 0));
  const most = Math.max(zones.size, ...numbers);
  return letter.charCodeAt(0) - 'a'.charCodeAt(0) < most || [...zones.keys()].some((zone) => zone.endsWith(letter));
}

export function whyNoRegion(region: string): Unknown | undefined {
  const actual = regionOfZone(region);
  return actual === undefined
    ? undefined
    : { message: 'is a zone, not a region', allowed: () => actual, meant: () => actual };
}

/** The region of a zone name; undefined where the text is not a zone name. */
export function regionOf(zone: string): string | undefined {
  return regionOfZone(zone) ?? LOCAL_ZONE.exec(zone)?.[1];
}
