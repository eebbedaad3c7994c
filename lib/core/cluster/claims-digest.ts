import { compareText } from '../compare-text.ts';
import { fingerprint } from '../identity.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/** A digest of the names and versions of NodeClaims: two lists with the same digest have the same records. *Cost:* O(n log n). */
export function claimsDigest(records: readonly Pick<NodeClaimRecord, 'name' | 'version'>[]): string {
  const versions = records.map(({ name, version }) => `${name}@${version}`);
  return fingerprint(versions.toSorted(compareText).join(' '));
}
