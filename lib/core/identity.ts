import { sha256 } from './sha256.ts';

/** Stable names for what a decision creates: equal input gives equal names, so a repeated run creates nothing twice. */

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * SHA-256, for names where a collision does harm. *Shape:* `length` characters of `[a-z2-7]`, at most 51.
 * *Cost:* O(text).
 */
export function digest(text: string, length = 26): string {
  const bits = Array.from(sha256(text), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length }, (_, index) => ALPHABET[Number.parseInt(bits.slice(index * 5, index * 5 + 5), 2)]).join(
    '',
  );
}

/**
 * A fast hash, for names where a collision does no harm. Its values are stored on nodes, NodePools and NodeClasses, in IAM
 * and in CloudFormation, so they must never change. *Shape:* `length` characters of `[a-z2-7]`, at most 26. *Cost:* O(text).
 */
export function fingerprint(text: string, length = 26): string {
  return fingerprintOf([text], length);
}

/** The fingerprint of the parts as one text. A long text need not be made for it. */
export function fingerprintOf(parts: readonly string[], length = 26): string {
  let out = '';
  for (let lane = 0; out.length < length; lane += 1) {
    let bits = hash32([`${lane}:`, ...parts]);
    for (let character = 0; character < 6 && out.length < length; character += 1) {
      out += ALPHABET[bits & 31] ?? '';
      bits >>>= 5;
    }
  }
  return out;
}

/** FNV-1a with a final mix, so that a change of the last character affects every bit. */
function hash32(parts: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    for (let index = 0; index < part.length; index += 1) {
      hash = Math.imul(hash ^ part.charCodeAt(index), 0x01000193);
    }
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
