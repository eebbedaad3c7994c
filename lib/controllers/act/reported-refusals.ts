import { HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';

/** The permanent refusals that were reported, so that a refused action that is repeated every few seconds is reported once. */
export interface ReportedRefusals {
  /** Whether the refusal was not reported with this cause for an hour. It counts as reported from now on. */
  isNew(action: string, cause: string, nowMs: number): boolean;
  /** Whether the pause after the last refusal of the action is not over. It is as long as the action was refused: 5 minutes to an hour. */
  isPaused(action: string, nowMs: number): boolean;
  /** Whether the action was refused at this time or later. */
  wasRefused(action: string, sinceMs: number): boolean;
}

/** After this time, a refusal that persists is reported again. */
const QUIET_MS = HOUR_MS;
const PAUSE_MS = { least: 5 * MINUTE_MS, most: HOUR_MS };
/** The oldest reports are forgotten first. */
const MAX_REPORTS = 10_000;

interface Refused {
  readonly sinceMs: number;
  readonly lastMs: number;
}

/** Keeps the reports in memory: another instance of the function reports a refusal again. */
export function reportedRefusals(): ReportedRefusals {
  const reports = new Map<string, number>();
  const actions = new Map<string, Refused>();
  return {
    isNew(action, cause, nowMs) {
      const { sinceMs = nowMs, lastMs = -Infinity } = actions.get(action) ?? {};
      // The next try may be a run after the pause.
      const persists = nowMs - lastMs < 2 * PAUSE_MS.most;
      remember(actions, action, { sinceMs: persists ? sinceMs : nowMs, lastMs: nowMs });
      const report = `${action}: ${withoutIds(cause)}`;
      if (nowMs - (reports.get(report) ?? -Infinity) < QUIET_MS) return false;
      remember(reports, report, nowMs);
      return true;
    },
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
function withoutIds(cause: string): string {
  return cause.replaceAll(/\S{40,}/g, '…').replaceAll(/\d+/g, '#');
}
