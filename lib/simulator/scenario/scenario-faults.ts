import { formatDuration } from '../../apis/formats/duration.ts';
import { optional } from '../../apis/optional.ts';
import type { FaultKind } from '../../apis/scenario/fault-kind.ts';
import { CALLS_OF_API } from '../../apis/scenario/port-calls.ts';
import type { Scenario, ScenarioEvent } from '../../apis/scenario/scenario.ts';
import type { Fault } from '../faults/fault.ts';
import { lasts, missingFrom, type ScenarioStage } from './scenario-stage.ts';

export type FaultEvent = Extract<ScenarioEvent, { readonly kind: 'throttle' | 'boots' | 'fault' }>;

/** The faults of a scenario, in the order of its events. One without an end is not undone at the end of the simulation. */
export function faultsOf({ events }: Scenario, durationMs: number): readonly Fault[] {
  return events
    .flatMap((event) => (isFaultEvent(event) ? kindsOf(event).map((kind) => ({ event, kind })) : []))
    .map(({ event: { atMs, forMs = Math.max(0, durationMs - atMs) + 1 }, kind }, index) => ({
      ...kind,
      id: index + 1,
      fromMs: atMs,
      forMs,
    }));
}

function isFaultEvent(event: ScenarioEvent): event is FaultEvent {
  return event.kind === 'throttle' || event.kind === 'boots' || event.kind === 'fault';
}

function kindsOf(event: FaultEvent): readonly FaultKind[] {
  switch (event.kind) {
    case 'fault':
      return [event.fault];
    case 'throttle': {
      const error = event.api === 'kubernetes' ? 429 : 'throttled';
      const calls = CALLS_OF_API[event.api];
      return [{ kind: 'calls-fail', calls, error, where: 'before', percent: event.percent }];
    }
    case 'boots': {
      const { slowByMs: lateMs = 0, failPercent, instanceTypes, zones } = event;
      const which = optional({ instanceTypes, zones });
      // The first fault that affects an instance decides about it.
      return [
        { kind: 'machines', how: 'never-join', percent: failPercent, ...which },
        { kind: 'machines', how: 'late-join', percent: 100, lateMs, ...which },
      ];
    }
  }
}

/** Describes the begin of the fault, and notes its end. */
export function noteFault(stage: ScenarioStage, event: FaultEvent): string {
  const { begins, ends } = describe(event);
  const { forMs } = event;
  if (ends !== undefined) {
    // The faults of one kind differ in what they do.
    const what = event.kind === 'fault' ? begins : ends;
    lasts(stage, { what, forMs }, (isOver) => (isOver ? ends : undefined));
  }
  const missing = missingFrom(stage, placesOf(event));
  const length = forMs === undefined || ends === undefined ? '' : ` for ${formatDuration(forMs)}`;
  return `${begins}${length}${missing === undefined ? '' : ` (${missing})`}`;
}

function placesOf(event: FaultEvent): Parameters<typeof missingFrom>[1] {
  if (event.kind === 'boots') return event;
  const isPlaced = event.kind === 'fault' && (event.fault.kind === 'machines' || event.fault.kind === 'no-capacity');
  return isPlaced ? event.fault : {};
}

const API_NAMES = {
  ec2: 'EC2',
  iam: 'IAM',
  eks: 'EKS',
  kubernetes: 'the API server',
  dynamodb: 'DynamoDB',
  sqs: 'SQS',
} as const;

/** *Shape:* without `ends` for a fault at one moment. */
function describe(event: FaultEvent): { readonly begins: string; readonly ends?: string } {
  switch (event.kind) {
    case 'throttle': {
      const name = API_NAMES[event.api];
      return { begins: `${name} throttles ${event.percent} % of the calls`, ends: `${name} throttles no more calls` };
    }
    case 'boots': {
      const { slowByMs, failPercent, instanceTypes, zones } = event;
      const which = [instanceTypes, zones].flatMap((list) => (list === undefined ? [] : [list.join('/')])).join(' in ');
      const subject = `new instances${which === '' ? '' : ` of ${which}`}`;
      const fail = failPercent === 0 ? [] : [`${failPercent} % of ${subject} never register`];
      const slow = slowByMs === undefined ? [] : [`${subject} register ${formatDuration(slowByMs)} later`];
      return { begins: [...slow, ...fail].join(', and '), ends: `${subject} boot as usual again` };
    }
    case 'fault': {
      const { kind, ...fields } = event.fault;
      const details = Object.entries(fields).map(([name, value]) => `${name} ${formatField(name, value)}`);
      const begins = [`fault ${kind}`, ...details].join(', ');
      return ONCE.has(kind) ? { begins } : { begins, ends: `fault ${kind} ends` };
    }
  }
}

const ONCE: ReadonlySet<FaultKind['kind']> = new Set(['spot-volley', 'impaired', 'node-pool', 'node-class']);

function formatField(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'all' : value.join('/');
  return name.endsWith('Ms') ? formatDuration(Number(value)) : String(value);
}
