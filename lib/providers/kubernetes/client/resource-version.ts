/** Resource versions: increasing decimal numbers without leading zeros, shared by all kinds. */

/** *Shape:* false where either is not a number. */
export function isAtLeast(version: string, other: string): boolean {
  if (!isVersion(version) || !isVersion(other)) return false;
  return version.length === other.length ? version >= other : version.length > other.length;
}

export function isVersion(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}

/** The previous version: a watch from there sends the change of this version again. */
export function justBefore(version: string): string {
  return String(BigInt(version) - 1n);
}
