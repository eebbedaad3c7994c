import type { FaultKind } from './fault-kind.ts';

/** The faults that a Scenario can name. The others need the table of the fault tester, or last the whole run. */
export type NamedFault = Exclude<
  FaultKind['kind'],
  'second-deployment' | 'restore-table' | 'other-version' | 'unreadable-record' | 'stale-reads' | 'table-steps'
>;

interface FaultFields {
  readonly required: readonly string[];
  /** Besides `for`. */
  readonly optional: readonly string[];
  /** Whether it lasts, so that it can have `for`. */
  readonly lasts: boolean;
  /** The values of `how`. */
  readonly how?: readonly string[];
}

/** The fields of each fault, besides `kind`. */
export const FAULT_FIELDS: Readonly<Record<NamedFault, FaultFields>> = {
  'calls-fail': { required: ['calls'], optional: ['error', 'where', 'percent'], lasts: true },
  'calls-hang': { required: ['calls'], optional: ['percent'], lasts: true },
  'calls-slow': { required: ['calls', 'upTo'], optional: ['percent'], lasts: true },
  'cut-off': { required: ['calls'], optional: ['where', 'percent'], lasts: true },
  'object-refused': { required: ['call'], optional: ['nth'], lasts: true },
  messages: {
    required: ['how'],
    optional: ['queues', 'upTo', 'percent'],
    lasts: true,
    how: ['twice', 'late', 'lost'],
  },
  clocks: { required: ['upTo'], optional: ['functions'], lasts: true },
  'webhook-down': { required: [], optional: [], lasts: true },
  'listed-late': { required: ['lag'], optional: [], lasts: true },
  'odd-launches': {
    required: ['how'],
    optional: ['percent'],
    lasts: true,
    how: ['reply-lost', 'rejected', 'spent', 'partial', 'not-admitted'],
  },
  'no-capacity': { required: [], optional: ['instanceTypes', 'zones', 'capacityTypes'], lasts: true },
  machines: {
    required: ['how'],
    optional: ['late', 'instanceTypes', 'zones', 'percent'],
    lasts: true,
    how: ['never-join', 'late-ready', 'late-join', 'late-taint', 'early-taint'],
  },
  'spot-volley': { required: [], optional: ['percent'], lasts: false },
  impaired: { required: [], optional: ['count'], lasts: false },
  'by-hand': { required: ['what'], optional: ['nth'], lasts: true },
  'node-pool': { required: ['change'], optional: ['nth'], lasts: false },
  'node-class': { required: [], optional: ['nth'], lasts: false },
  'slow-pods': { required: [], optional: ['percent'], lasts: true },
  'volumes-stay': { required: [], optional: [], lasts: true },
  'scheduler-down': { required: [], optional: [], lasts: true },
  'other-autoscaler': { required: [], optional: [], lasts: true },
};

export const NAMED_FAULTS: readonly string[] = Object.keys(FAULT_FIELDS);
