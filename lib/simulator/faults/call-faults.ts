import { isRecord, ownField } from '../../apis/record.ts';
import type { CallError } from '../../apis/scenario/fault-kind.ts';
import type { ControllerPorts } from '../../controllers/run/ports.ts';
import type { AutoscalerTraces } from '../../core/cluster/other-autoscalers.ts';
import type { DescribedInstance, LaunchAdmission, LaunchOutcome } from '../../ports/cloud-provider.ts';
import { ConflictError, type PortError, RefusedError, UnreachableError, UnreadableError } from '../../ports/errors.ts';
import type { SimulatedInvocation } from '../aws/simulated-lambda.ts';
import { type Around, around, type PortCall } from '../faults.ts';
import type { Timetable } from '../timetable.ts';
import { type Choice, type Fault, type FaultOf, includesCall, isHit } from './fault.ts';

export interface CallFaultWorld {
  readonly timetable: Timetable;
  /** The active faults. */
  readonly active: () => readonly Fault[];
  readonly choice: Choice;
}

export interface CallFaults {
  /** Puts the faults of calls between an invocation and its ports. */
  readonly wrap: (ports: ControllerPorts, invocation: SimulatedInvocation) => ControllerPorts;
  readonly refusedObject: (fault: FaultOf<'object-refused'>) => string | undefined;
}

export function callFaults(world: CallFaultWorld): CallFaults {
  const refusedObjects = new Map<number, string[]>();
  return {
    wrap: (ports, invocation) =>
      around(ports, async (call, go) => {
        let next = go;
        for (const fault of world.active())
          next = wrapped(fault, { world, call, go: next, invocation, refusedObjects });
        return next();
      }),
    refusedObject: ({ id, nth }) => refusedObjects.get(id)?.[nth],
  };
}

interface Wrapping {
  readonly world: CallFaultWorld;
  readonly call: PortCall;
  readonly go: Parameters<Around>[1];
  readonly invocation: SimulatedInvocation;
  /** The objects for which each fault was called, by the id of the fault. */
  readonly refusedObjects: Map<number, string[]>;
}

type Go = Wrapping['go'];

/** The call under the fault. */
function wrapped(fault: Fault, wrapping: Wrapping): Go {
  const { call, go, world } = wrapping;
  switch (fault.kind) {
    case 'calls-fail':
      return affects(fault, wrapping) ? failing(fault, wrapping) : go;
    case 'calls-hang':
      return affects(fault, wrapping) ? async () => new Promise<never>(() => {}) : go;
    case 'calls-slow': {
      if (!affects(fault, wrapping)) return go;
      const delayMs = world.choice(fault).between(1, fault.upToMs);
      return async () => {
        await world.timetable.wait(delayMs);
        return go();
      };
    }
    case 'cut-off':
      return affects(fault, wrapping) ? cutOff(fault, wrapping) : go;
    case 'object-refused':
      return isRefused(fault, wrapping) ? async () => Promise.reject(refusalOf(fault)) : go;
    case 'listed-late':
      return call.method === 'cloud.describeInstances' ? listedLate(fault, wrapping) : go;
    case 'odd-launches':
      return oddLaunch(fault, wrapping);
    case 'other-autoscaler':
      return call.method === 'cluster.findOtherAutoscalers' ? async () => Object.assign({}, await go(), KARPENTER) : go;
    case 'by-hand':
    case 'clocks':
    case 'impaired':
    case 'machines':
    case 'messages':
    case 'no-capacity':
    case 'node-class':
    case 'node-pool':
    case 'other-version':
    case 'restore-table':
    case 'scheduler-down':
    case 'second-deployment':
    case 'slow-pods':
    case 'spot-volley':
    case 'stale-reads':
    case 'table-steps':
    case 'unreadable-record':
    case 'volumes-stay':
    case 'webhook-down':
      return go;
  }
}

/** When the account may make the next call. */
const NEXT_CALL_MS = 2_000;

const KARPENTER: Partial<AutoscalerTraces> = {
  leases: [],
  deployments: [{ namespace: 'karpenter', name: 'karpenter', replicas: 2, ready: 2, serviceAccount: 'karpenter' }],
  namespaces: ['karpenter'],
  writers: [{ namespace: 'karpenter', name: 'karpenter' }],
};

function affects(
  fault: Fault & { readonly calls: readonly string[]; readonly percent: number },
  { call, world }: Wrapping,
): boolean {
  return includesCall(fault.calls, call.method) && isHit(fault, world.choice);
}

function failing({ error, where }: FaultOf<'calls-fail'>, { call, go }: Wrapping): Go {
  return async () => {
    if (where === 'after') await go();
    else if (error === 'throttled' && call.method === 'cloud.launch') return THROTTLED_LAUNCH;
    throw errorOf(error, call);
  };
}

/** EC2 throttles a call before it has an effect. */
const THROTTLED_LAUNCH: LaunchOutcome = {
  kind: 'rejected',
  missing: [],
  message: 'RequestLimitExceeded',
  throttled: true,
};

/** The error of the port for a failure, as its provider translates it. */
function errorOf(error: CallError, { method }: PortCall): PortError {
  const message = `${method}: simulated fault: ${error}`;
  switch (error) {
    case 403:
      return new RefusedError(message);
    case 409:
    case 410:
      return new ConflictError(message);
    case 429:
    case 500:
    case 'throttled':
    case 'timeout':
      return new UnreachableError(message);
  }
}

/** A record that cannot be read has another error than a call that is denied. */
function refusalOf({ call, unexpected }: FaultOf<'object-refused'>): Error {
  const message = `${call}: simulated fault: this object is refused`;
  if (unexpected === true) return new Error(message);
  return call === 'store.readNodeClaim' ? new UnreadableError(message) : new RefusedError(message);
}

function cutOff({ where }: FaultOf<'cut-off'>, { go, invocation }: Wrapping): Go {
  return async () => {
    if (where === 'after') await go();
    invocation.stop();
    return new Promise<never>(() => {});
  };
}

function isRefused(fault: FaultOf<'object-refused'>, { call, refusedObjects }: Wrapping): boolean {
  if (call.method !== fault.call) return false;
  const seen = refusedObjects.get(fault.id) ?? [];
  const name = objectOf(call);
  if (!seen.includes(name)) seen.push(name);
  refusedObjects.set(fault.id, seen);
  return seen.indexOf(name) === fault.nth;
}

/** The name of the object that a call is about: its first argument, or the second one if the first names the cluster. */
function objectOf({ args }: PortCall): string {
  const [first, second] = args;
  return nameOf(typeof second === 'string' && !isRecord(first) ? second : first);
}

function nameOf(value: unknown): string {
  if (!isRecord(value)) return String(value);
  const metadata = ownField(value, 'metadata') ?? value;
  return String(ownField(metadata, 'name') ?? ownField(metadata, 'nodeClaim'));
}

function listedLate({ lagMs }: FaultOf<'listed-late'>, { go, world }: Wrapping): Go {
  return async () => {
    const all = await go();
    if (!isInstances(all)) return all;
    return all.filter(({ launchedAtMs }) => world.timetable.now() - launchedAtMs >= lagMs);
  };
}

function isInstances(value: unknown): value is readonly DescribedInstance[] {
  return Array.isArray(value);
}

/** EC2 itself launches less: `partial` is a fault of the world. */
function oddLaunch(fault: FaultOf<'odd-launches'>, { call, go, world }: Wrapping): Go {
  const { how } = fault;
  const method = how === 'not-admitted' ? 'cloud.admitLaunch' : 'cloud.launch';
  if (how === 'partial' || call.method !== method || !isHit(fault, world.choice)) return go;
  if (how === 'not-admitted') {
    const waiting: LaunchAdmission = { kind: 'wait', untilMs: world.timetable.now() + NEXT_CALL_MS };
    return async () => waiting;
  }
  return async () => {
    const rejected: LaunchOutcome = { kind: 'rejected', missing: [], message: 'UnauthorizedOperation' };
    if (how === 'rejected') return rejected;
    await go();
    if (how === 'reply-lost') throw errorOf('timeout', call);
    const spent: LaunchOutcome = { kind: 'spent', missing: [], message: 'the client token was used before' };
    return spent;
  };
}
