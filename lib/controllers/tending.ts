import type { Decision } from '../core/action.ts';
import type { NodeClaimRecord } from '../core/node-claim/record.ts';
import type { World } from './observe-claims.ts';
import type { ControllerPorts } from './ports.ts';

/** What a look at all claims of a cluster saw, for those who look after their instances. */
export interface Tending {
  readonly ports: ControllerPorts;
  readonly cluster: string;
  readonly records: readonly NodeClaimRecord[];
  readonly world: World;
  /** What is decided is added. */
  readonly decisions: Decision[];
}
