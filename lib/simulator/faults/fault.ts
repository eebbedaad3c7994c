import type { FaultKind } from '../../apis/scenario/fault-kind.ts';
import { type Random, randomFrom } from '../random.ts';

/** A fault that begins at `fromMs` after the start of the simulation. A fault at one moment ignores `forMs`. */
export type Fault = FaultKind & {
  /** Part of the seed of the fault's random choices, so that they do not depend on other faults. */
  readonly id: number;
  readonly fromMs: number;
  readonly forMs: number;
};

export type FaultOf<Kind extends Fault['kind']> = Fault & { readonly kind: Kind };

/** Whether the fault is active at this time after the start of the simulation. */
export function isActiveAt({ fromMs, forMs }: Fault, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < fromMs + forMs;
}

/** Whether a list of methods, such as `store.*`, contains the method. */
export function includesCall(calls: readonly string[], method: string): boolean {
  return calls.some((one) => one === method || (one.endsWith('*') && method.startsWith(one.slice(0, -1))));
}

/** Random choices that depend only on the seed, the fault and the number of its earlier choices. @internal */
export function randomOf(seed: number, fault: Pick<Fault, 'id'>, count: number): Random {
  return randomFrom(
    Math.imul(seed + 1, 0x27d4eb2f) ^ Math.imul(fault.id + 1, 0x165667b1) ^ Math.imul(count + 1, 0x9e3779b1),
  );
}

/** Whether the fault affects this call, message or instance. */
export function isHit(fault: Fault & { readonly percent: number }, choice: Choice): boolean {
  return choice(fault).between(0, 100) < fault.percent;
}

/** The next random choice of a fault. */
export type Choice = (fault: Pick<Fault, 'id'>) => Random;

/** Random choices of faults, each with its own count. */
export function choices(seed: number): Choice {
  const counts = new Map<number, number>();
  return (fault) => {
    const count = counts.get(fault.id) ?? 0;
    counts.set(fault.id, count + 1);
    return randomOf(seed, fault, count);
  };
}
