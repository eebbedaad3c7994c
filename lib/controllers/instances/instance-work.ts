import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { World } from '../observe/observe-claims.ts';
import type { ObjectRun } from '../run/apply-verdict.ts';

/** What a look at all claims of a cluster saw, for those who look after their instances. */
export interface Tending extends ObjectRun {
  readonly records: readonly NodeClaimRecord[];
  readonly world: World;
}
