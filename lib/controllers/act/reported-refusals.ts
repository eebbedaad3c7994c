import { HOUR_MS } from '../../apis/formats/time.ts';

/** The permanent refusals that were reported, so that a refused action that is repeated every few seconds is reported once. */
export interface ReportedRefusals {
  /** Whether the refusal was not reported with this cause for an hour. It counts as reported from now on. */
  isNew(action: string, cause: string, nowMs: number): boolean;
  /** Whether a refusal of the action was reported in the last hour, with any cause. */
  wasReported(action: string, nowMs: number): boolean;
}

/** After this time, a refusal that persists is reported again. */
const QUIET_MS = HOUR_MS;
/** The oldest reports are forgotten first. */
const MAX_REPORTS = 10_000;

/** Keeps the reports in memory: another instance of the function reports a refusal again. */
export function reportedRefusals(): ReportedRefusals {
  const reports = new Map<string, number>();
  const actions = new Map<string, number>();
  const isRecent = (atMs: number | undefined, nowMs: number): boolean => nowMs - (atMs ?? -Infinity) < QUIET_MS;
  return {
    isNew(action, cause, nowMs) {
      const report = `${action}: ${withoutIds(cause)}`;
      if (isRecent(reports.get(report), nowMs)) return false;
      remember(reports, report, nowMs);
      remember(actions, action, nowMs);
      return true;
    },
    wasReported: (action, nowMs) => isRecent(actions.get(action), nowMs),
  };
}

function remember(reports: Map<string, number>, report: string, nowMs: number): void {
  reports.delete(report);
  reports.set(report, nowMs);
  const [oldest] = reports.keys();
  if (reports.size > MAX_REPORTS && oldest !== undefined) reports.delete(oldest);
}

/** The same cause may have another number, time or encoded message each time. */
function withoutIds(cause: string): string {
  return cause.replaceAll(/\S{40,}/g, '…').replaceAll(/\d+/g, '#');
}
