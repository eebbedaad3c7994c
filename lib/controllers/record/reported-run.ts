import type { DecidedOn } from '../../core/decisions/decided-on.ts';
import type { DecisionSnapshots } from '../../core/model/settings.ts';
import type { DecisionArchive, DecisionLog } from '../../ports/decision-log.ts';
import type { Timer } from '../../ports/timer.ts';
import type { Telemetry } from '../run/telemetry.ts';
import type { MarkedRun } from './mark-runs.ts';
import type { UsedRun } from './usage-hours.ts';

export interface RecorderOptions {
  readonly log: DecisionLog;
  /** @default snapshots are not stored */
  readonly archive?: DecisionArchive;
  /** Writes a decision with its snapshot as text. */
  readonly snapshotText: (decided: DecidedOn) => string;
  /** The version of Kerf. */
  readonly version: string;
  /** The clusters of the deployment. @default not known */
  readonly served?: readonly string[];
}

/** A run that has ended. */
export interface ReportedRun extends MarkedRun, Pick<UsedRun, 'usageLabels'> {
  readonly durationMs: number;
  /** @default 'off' */
  readonly snapshots?: DecisionSnapshots | undefined;
  readonly timer: Timer;
  readonly telemetry: Telemetry;
}
