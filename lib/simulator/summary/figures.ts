import type { InstanceFigures } from './instance-ledger.ts';

/** The state of the cluster at one time, in a few numbers. *Units:* USD. */
export interface Figures extends InstanceFigures {
  readonly podsRunning: number;
  readonly podsPending: number;
}

/** How far a simulation is. */
export interface Progress extends Figures {
  readonly atSeconds: number;
  readonly durationSeconds: number;
}
