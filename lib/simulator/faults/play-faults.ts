import type { ControllerPorts } from '../../controllers/run/ports.ts';
import { BOOTS_AS_USUAL, type MachineFate } from '../aws/machines.ts';
import type { SimulatedInstance } from '../aws/simulated-ec2.ts';
import type { SimulatedInvocation } from '../aws/simulated-lambda.ts';
import type { Timetable } from '../timetable.ts';
import { callFaults } from './call-faults.ts';
import { type Choice, choices, type Fault, type FaultOf, isActiveAt, isHit } from './fault.ts';
import type { WorldFaultStage } from './stage.ts';
import { scheduleWorldFaults } from './world-faults.ts';

/** The faults of a simulation, where they act. */
export interface FaultPlay {
  /** Puts faults and the invocation's own clock between an invocation and its ports. */
  readonly wrapCalls: (ports: ControllerPorts, invocation: SimulatedInvocation) => ControllerPorts;
  /** The additional delays of the copies of a message; none if the message is lost. */
  readonly copies: (queue: string) => readonly number[];
  readonly isWebhookDown: () => boolean;
  readonly isSchedulerDown: () => boolean;
  readonly keepsVolumes: () => boolean;
  /** Whether the next pod that ends takes its whole grace period. */
  readonly isPodSlow: () => boolean;
  readonly machineFate: (instance: Pick<SimulatedInstance, 'instanceType' | 'zone'>) => MachineFate;
  /** The name of the object for which calls are refused; undefined until one was. */
  readonly refusedObject: (fault: FaultOf<'object-refused'>) => string | undefined;
  /** Schedules the faults that change the cluster and EC2. */
  begin(stage: Omit<WorldFaultStage, 'choice'>): void;
}

/** *Shape:* without faults, nothing is changed. */
export function playFaults(faults: readonly Fault[], seed: number, timetable: Timetable): FaultPlay {
  const startMs = timetable.now();
  const choice = choices(seed);
  const active = (): readonly Fault[] => faults.filter((fault) => isActiveAt(fault, timetable.now() - startMs));
  const calls = callFaults({ timetable, active, choice });
  return {
    wrapCalls(ports, invocation) {
      if (faults.length === 0) return ports;
      return calls.wrap(withClock(ports, invocation, { active, choice }), invocation);
    },
    copies(queue) {
      let copies: readonly number[] = [0];
      for (const fault of active()) {
        if (fault.kind !== 'messages' || (fault.queues.length > 0 && !fault.queues.includes(queue))) continue;
        if (!isHit(fault, choice)) continue;
        const lateMs = choice(fault).between(0, fault.upToMs);
        if (fault.how === 'lost') copies = [];
        else if (fault.how === 'late') copies = copies.map((delay) => delay + lateMs);
        else copies = [...copies, ...copies.map((delay) => delay + lateMs)];
      }
      return copies;
    },
    isWebhookDown: () => active().some(({ kind }) => kind === 'webhook-down'),
    isSchedulerDown: () => active().some(({ kind }) => kind === 'scheduler-down'),
    keepsVolumes: () => active().some(({ kind }) => kind === 'volumes-stay'),
    isPodSlow: () => active().some((fault) => fault.kind === 'slow-pods' && isHit(fault, choice)),
    machineFate(instance) {
      for (const fault of active()) {
        if (fault.kind !== 'machines' || !concerns(fault, instance) || !isHit(fault, choice)) continue;
        const lateMs = fault.lateMs ?? choice(fault).between(60_000, 600_000);
        if (fault.how === 'never-join') return { ...BOOTS_AS_USUAL, joins: false };
        if (fault.how === 'late-join') return { ...BOOTS_AS_USUAL, joinDelayMs: lateMs };
        if (fault.how === 'late-taint') return { ...BOOTS_AS_USUAL, taintDelayMs: lateMs / 10 };
        if (fault.how === 'early-taint')
          return { ...BOOTS_AS_USUAL, readyDelayMs: lateMs / 10, taintDelayMs: -lateMs / 10 };
        return { ...BOOTS_AS_USUAL, readyDelayMs: lateMs };
      }
      return BOOTS_AS_USUAL;
    },
    refusedObject: calls.refusedObject,
    begin: (stage) => scheduleWorldFaults({ ...stage, choice }, faults),
  };
}

function concerns(
  { instanceTypes, zones }: FaultOf<'machines'>,
  { instanceType, zone }: Pick<SimulatedInstance, 'instanceType' | 'zone'>,
): boolean {
  return (instanceTypes?.includes(instanceType) ?? true) && (zones?.includes(zone) ?? true);
}

function withClock(
  ports: ControllerPorts,
  invocation: SimulatedInvocation,
  { active, choice }: { readonly active: () => readonly Fault[]; readonly choice: Choice },
): ControllerPorts {
  const fault = active().find(
    (one): one is FaultOf<'clocks'> =>
      one.kind === 'clocks' && (one.functions.length === 0 || one.functions.includes(invocation.function)),
  );
  const half = Math.floor((fault?.upToMs ?? 0) / 2);
  const offsetMs = fault === undefined ? 0 : choice(fault).between(-half, half + 1);
  return offsetMs === 0 ? ports : { ...ports, clock: { now: () => ports.clock.now() + offsetMs } };
}
