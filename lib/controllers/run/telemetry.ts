import type { Wake } from '../../ports/messages.ts';
import type { RunReport } from './ports.ts';

/** Every message of a log line, with its meaning. `npm run generate` writes docs/signals.md from this table. */
export const LOG_MESSAGES = {
  'a message is not a wake': 'A queue has a message that Kerf did not send. It becomes a dead letter.',
  'conflict: the event is retried': 'Another run wrote first: the event is handled again in seconds.',
  'conflict: the wake is retried': 'Another run wrote first: the cluster is reconciled again in seconds.',
  'dropped a wake for a cluster that is not configured': 'The cluster was removed from the configuration a moment ago.',
  'event refused': 'The installer was called with an address that is not that of CloudFormation.',
  'failed to handle an event': 'An event of EC2 is delivered again until it is over (InterruptionDeadLetters).',
  'failed to make messages visible early': 'What failed is delivered again later than planned.',
  'failed to read prices: the previous prices stay in use': 'Prices are read again in 12 hours (WakeDeadLetters).',
  'failed to record the usage of an hour': 'kerf cost cannot divide the cost of the hour by namespace and label.',
  'failed to mark a run': 'What kerf status shows of the function is older than its last run.',
  'failed to record a decision': 'A decision was carried out, and is missing in the records.',
  'failed to remove Kerf from a cluster completely': 'The line lists what to remove by hand.',
  'failed to send a wake': 'The webhook could not send a wake: the next tick replaces it.',
  'failed to store the snapshot of a decision': 'The record of the decision exists, and it cannot be replayed.',
  'item of the table set aside': 'An item cannot be read. Its object is left alone (RecordUnreadable).',
  'list is too large to be cached; each run reads it completely':
    'The cluster has more objects than the function can keep.',
  'note on an installation': 'Something that the installer could not do, and what follows from it.',
  problem: 'What a person must solve. The line names its section of the runbook.',
  'reconcile failed':
    'A run failed completely. It is repeated, and becomes a dead letter if it goes on (WakeDeadLetters).',
  'reconcile step failed': 'A part of a run failed, often for one object. The next tick repeats it.',
  reconciled: 'A run has looked at the cluster: what it did, and what it refused, by reason.',
  'request of CloudFormation failed': 'The installation failed, and the deploy with it.',
  'sign of another autoscaler ignored': 'A user of one namespace could have created it (UnprovenAutoscaler).',
  skipped: 'The run collects further wakes, or another run does its work.',
  standby: 'Another autoscaler is active (Standby).',
  'the state of the deployment is unknown, and Kerf is installed': 'CloudFormation did not answer the installer.',
  'the state of the deployment is unknown, and nothing is removed':
    'CloudFormation did not answer the installer. The deletion of the stack fails.',
  'the state of the deployment is unknown, and the rights are checked without it':
    'CloudFormation did not answer the installer.',
  'wake put off: the last run of the cluster was abandoned': 'The API server of the cluster did not answer in time.',
  'watch did not catch up': 'A list of the cluster is read completely.',
} as const;

export type LogMessage = keyof typeof LOG_MESSAGES;

/** The output of a function besides its actions. The operator writes logs and metrics, the simulator its timeline. */
export interface Telemetry {
  /** Reports a run, with the failures of single claims. The next tick reconciles these claims again. */
  report(cause: Pick<Wake, 'reason' | 'nodeClaim'>, report: RunReport): void;
  /** Reports a run that failed. */
  failure(wake: Wake, error: unknown): void;
  warn(message: LogMessage, fields: Fields): void;
  error(message: LogMessage, error: unknown, fields: Fields): void;
}

type Fields = Readonly<Record<string, unknown>>;
