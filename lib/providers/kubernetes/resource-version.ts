/** Resource versions: decimal numbers without leading zeros that only grow, of all kinds together. */

/** *Shape:* false where either is no such number, so that nothing is concluded from it. */
export function isAtLeast(version: string, other: string): boolean {
  if (!isVersion(version) || !isVersion(other)) return false;
  return version.length === other.length ? version >= other : version.length > other.length;
}

export function isVersion(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}

/** The version just before it: a watch from there brings what happened at this one again. */
export function justBefore(version: string): string {
  return String(BigInt(version) - 1n);
}
