import { HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';

/** The permanent refusals that were reported, so that a refused action that is repeated every few seconds is reported once. */
export interface ReportedRefusals {
  /** Whether the refusal was not reported with this cause for an hour. It counts as reported from now on. */
  isNew(action: string, cause: string, nowMs: number): boolean;
  /** The same for a failure of Kerf. A pod that waits for a PodDisruptionBudget is none. */
  isNewFailure(action: string, cause: string, nowMs: number): boolean;
  /** The failures whose names begin so, and that were seen at this time or later. */
  persisting(prefix: string, sinceMs: number): readonly PersistingFailure[];
  /** Whether the pause after the last refusal of the action is not over. It is as long as the action was refused: 5 minutes to an hour. */
  isPaused(action: string, nowMs: number): boolean;
  /** Whether the action was refused at this time or later. */
  wasRefused(action: string, sinceMs: number): boolean;
}

/** A failure that goes on. */
export interface PersistingFailure {
  /** What fails, and why it failed last. */
  readonly message: string;
  /** Since the first time. */
  readonly sinceMs: number;
}

/** After this time, a refusal that persists is reported again. */
const QUIET_MS = HOUR_MS;
const PAUSE_MS = { least: 5 * MINUTE_MS, most: HOUR_MS };
/** The oldest reports are forgotten first. */
const MAX_REPORTS = 10_000;

interface Refused {
  readonly sinceMs: number;
  readonly lastMs: number;
  /** Of the last failure. @default it is not a failure */
  readonly cause?: string | undefined;
}

interface Noted {
  readonly cause: string;
  readonly isFailure: boolean;
}

/** Keeps the reports in memory: another instance of the function reports a refusal again. */
export function reportedRefusals(): ReportedRefusals {
  const reports = new Map<string, number>();
  const actions = new Map<string, Refused>();
  const isNew = (action: string, { cause, isFailure }: Noted, nowMs: number): boolean => {
    const { sinceMs = nowMs, lastMs = -Infinity } = actions.get(action) ?? {};
    // The next try may be a run after the pause.
    const persists = nowMs - lastMs < 2 * PAUSE_MS.most;
    remember(actions, action, {
      sinceMs: persists ? sinceMs : nowMs,
      lastMs: nowMs,
      cause: isFailure ? cause : undefined,
    });
    const report = `${action}: ${withoutIds(cause)}`;
    if (nowMs - (reports.get(report) ?? -Infinity) < QUIET_MS) return false;
    remember(reports, report, nowMs);
    return true;
  };
  return {
    isNew: (action, cause, nowMs) => isNew(action, { cause, isFailure: false }, nowMs),
    isNewFailure: (action, cause, nowMs) => isNew(action, { cause, isFailure: true }, nowMs),
    persisting: (prefix, fromMs) =>
      [...actions].flatMap(([action, { sinceMs, lastMs, cause }]) => {
        if (cause === undefined || lastMs < fromMs || !action.startsWith(prefix)) return [];
        return [{ message: `${action.slice(prefix.length).replace(/: $/, '')}: ${cause}`, sinceMs }];
      }),
    isPaused(action, nowMs) {
      const refused = actions.get(action);
      return refused !== undefined && nowMs - refused.lastMs < pauseMs(refused);
    },
    wasRefused: (action, sinceMs) => (actions.get(action)?.lastMs ?? -Infinity) >= sinceMs,
  };
}

function pauseMs({ sinceMs, lastMs }: Refused): number {
  return Math.min(Math.max(lastMs - sinceMs, PAUSE_MS.least), PAUSE_MS.most);
}

function remember<Value>(reports: Map<string, Value>, report: string, value: Value): void {
  reports.delete(report);
  reports.set(report, value);
  const [oldest] = reports.keys();
  if (reports.size > MAX_REPORTS && oldest !== undefined) reports.delete(oldest);
}

/** The same cause may have another number, time or encoded message each time. */
export function withoutIds(cause: string): string {
  return cause.replaceAll(/\S{40,}/g, '…').replaceAll(/\d+/g, '#');
}
