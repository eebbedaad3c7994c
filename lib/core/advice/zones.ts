import { regionOfZone } from '../../apis/labels.ts';
import type { KnownFigures } from './known-figures.ts';

type Zones = KnownFigures['zones'];

/** Why a value is none that there is. */
export interface Unknown {
  /** Follows the value. */
  readonly message: string;
  readonly allowed: () => string;
  /** The very value that was meant, where that is known. */
  readonly meant?: () => string | undefined;
}

/** `us-west-2-lax-1a`, `us-east-1-wl1-bos-wlz-1`: zones outside of the region's own, which the figures leave out. */
const LOCAL_ZONE = /^([a-z]{2}(?:-[a-z]+)+-\d)-[a-z0-9]+(?:-[a-z0-9]+)*$/;
const REGION_NAME = /^[a-z]{2}(?:-[a-z]+)+-\d$/;
const ZONE_ID = /^[a-z]{2,5}\d-az\d$/;
/** Anything that may be a zone of some partition, those to come included. */
const LIKE_A_ZONE = /^[a-z]+(?:-[a-z]+)+-\d+[a-z0-9-]*$/;

/** Why there is no such zone; undefined where there is one, or where nothing is known of its region. */
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
    return { message: 'is no zone', allowed: () => meant ?? 'names of zones, such as us-east-1a', meant: () => meant };
  }
  const region = regionOfZone(zone);
  const ofRegion = region === undefined ? undefined : zones.get(region);
  if (region === undefined || ofRegion === undefined || mayHaveLetter(ofRegion, zone.slice(-1))) return undefined;
  const allowed = () => `one of ${[...ofRegion.keys()].toSorted().join(', ')}`;
  return { message: `is no zone of ${region} that Kerf knows of`, allowed };
}

function allowedForId(): string {
  return 'it under topology.k8s.aws/zone-id, or the name of the zone here';
}

/** Accounts see different zones of an old region (us-west-1), so that the ids say how many letters there may be. */
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

/** The region that a zone's name begins with; undefined where the text is no zone name. */
export function regionOf(zone: string): string | undefined {
  return regionOfZone(zone) ?? LOCAL_ZONE.exec(zone)?.[1];
}
