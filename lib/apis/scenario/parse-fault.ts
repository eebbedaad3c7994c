import { MINUTE_MS } from '../formats/time.ts';
import type { ScenarioManifestEvent } from '../generated/scenario-manifest.ts';
import { optional } from '../optional.ts';
import type { CallError, FaultKind } from './fault-kind.ts';
import { milliseconds } from './milliseconds.ts';

type FaultManifest = NonNullable<ScenarioManifestEvent['fault']>;

const ERRORS: Readonly<Record<NonNullable<FaultManifest['error']>, CallError>> = {
  forbidden: 403,
  conflict: 409,
  gone: 410,
  'too-many-requests': 429,
  'server-error': 500,
  throttled: 'throttled',
  timeout: 'timeout',
};

/** Converts a fault to the form that the simulator plays. *Errors:* RangeError for a fault that validation rejects. */
export function parseFault(fault: FaultManifest): FaultKind {
  const { kind, percent = 100, nth = 0, where = 'before' } = fault;
  const { calls, call, upTo, lag, what, change, late } = fault;
  switch (kind) {
    case 'calls-fail':
      return { kind, calls: given(calls), error: ERRORS[fault.error ?? 'timeout'], where, percent };
    case 'calls-hang':
      return { kind, calls: given(calls), percent };
    case 'calls-slow':
      return { kind, calls: given(calls), upToMs: milliseconds(given(upTo)), percent };
    case 'cut-off':
      return { kind, calls: given(calls), where, percent };
    case 'object-refused':
      return { kind, call: given(call), nth };
    case 'messages': {
      const upToMs = upTo === undefined ? 5 * MINUTE_MS : milliseconds(upTo);
      return { kind, how: oneOf(fault.how, ['twice', 'late', 'lost']), queues: fault.queues ?? [], upToMs, percent };
    }
    case 'clocks':
      return { kind, functions: fault.functions ?? [], upToMs: milliseconds(given(upTo)) };
    case 'listed-late':
      return { kind, lagMs: milliseconds(given(lag)) };
    case 'odd-launches':
      return {
        kind,
        how: oneOf(fault.how, ['reply-lost', 'rejected', 'spent', 'partial', 'not-admitted']),
        percent,
      };
    case 'no-capacity': {
      const { instanceTypes, zones, capacityTypes } = fault;
      return { kind, ...optional({ instanceTypes, zones, capacityTypes }) };
    }
    case 'machines': {
      const { instanceTypes, zones } = fault;
      const how = oneOf(fault.how, ['never-join', 'late-ready', 'late-join', 'late-taint', 'early-taint']);
      const lateMs = late === undefined ? undefined : milliseconds(late);
      return { kind, how, percent, ...optional({ lateMs, instanceTypes, zones }) };
    }
    case 'impaired':
      return { kind, count: fault.count ?? 1 };
    case 'by-hand':
      return { kind, what: given(what), nth };
    case 'node-pool':
      return { kind, nth, change: given(change) };
    case 'node-class':
      return { kind, nth };
    case 'spot-volley':
    case 'slow-pods':
      return { kind, percent };
    case 'webhook-down':
    case 'volumes-stay':
    case 'scheduler-down':
    case 'other-autoscaler':
      return { kind };
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('a field of the fault is missing');
  return value;
}

function oneOf<Value extends string>(value: string | undefined, values: readonly Value[]): Value {
  return given(values.find((one) => one === value));
}
