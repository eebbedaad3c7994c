import type { TimelineEntry } from '../../simulator/timeline.ts';
import type { Detail } from './simulate-command.ts';

/** What the Scenario and Kerf decided, and what went wrong; not how it was carried out. */
const DECISIONS: ReadonlySet<TimelineEntry['kind']> = new Set([
  'scenario',
  'create-node-claim',
  'launch-refused',
  'start-disruption',
  'continue-disruption',
  'end-disruption',
  'delete-node-claim',
  'blocked',
  'function-failed',
  'job-failed',
]);
const HOURS: ReadonlySet<TimelineEntry['kind']> = new Set(['scenario', 'figures', 'function-failed', 'job-failed']);

/** Whether an entry of the timeline is printed. */
export function isShown({ kind }: TimelineEntry, detail: Detail): boolean {
  switch (detail) {
    case 'all':
      return true;
    case 'decisions':
      return DECISIONS.has(kind);
    case 'hours':
      return HOURS.has(kind);
    case 'summary':
      return false;
  }
}
