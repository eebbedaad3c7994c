import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import type { ObjectRun, VerdictPorts } from '../run/apply-verdict.ts';

/** A run for all claims of a cluster, with the observed state. */
export interface ClusterWork<Ports = unknown> extends ObjectRun<VerdictPorts & Ports> {
  readonly records: readonly NodeClaimRecord[];
  readonly world: ObservedClaims;
  /** Whether the run is for a tick, once a minute. */
  readonly isTick: boolean;
}
