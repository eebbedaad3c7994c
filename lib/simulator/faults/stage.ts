import type { SimulatedEc2 } from '../aws/simulated-ec2.ts';
import type { NodeLifecycle } from '../kubernetes/node-lifecycle.ts';
import type { KubernetesState } from '../kubernetes/state.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import type { Choice } from './fault.ts';

/** Backups of the table. A backup is not changed by later writes. */
export interface Backups {
  take(): unknown;
  restore(backup: unknown): void;
  /** Rewrites the items as the version before or the next version of Kerf writes them. */
  rewrite(as: 'older' | 'newer'): void;
}

export interface WorldFaultStage {
  readonly state: KubernetesState;
  readonly ec2: SimulatedEc2;
  readonly nodeLifecycle: NodeLifecycle;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly choice: Choice;
  readonly backups?: Backups;
}
