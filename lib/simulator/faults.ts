/** Faults and delays of the ports, for tests and for the simulator itself. */
import type { ControllerPorts } from '../controllers/run/ports.ts';
import { UnreachableError } from '../ports/errors.ts';
import type { Random } from './random.ts';

/** A call of a port: which one, and with what. */
export interface PortCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Where a function is cut off: before the call takes effect, or after it took effect and before its answer was seen. */
export type CutOff = 'before' | 'after';

/** Ports that report every call, and fail where `decide` says so. @internal */
export function withFaults(ports: ControllerPorts, decide: (call: PortCall) => CutOff | undefined): ControllerPorts {
  return around(ports, async (call, go) => {
    const cutOff = decide(call);
    if (cutOff === 'before') throw new UnreachableError(`cut off before ${call.method}`);
    const answer = await go();
    if (cutOff === 'after') throw new UnreachableError(`cut off after ${call.method}`);
    return answer;
  });
}

/** For `withFaults`: one call in `oneIn` of those that match is cut off, before or after its effect. The same seed, the same faults. @internal */
export function faultsBySeed(
  random: Random,
  oneIn: number,
  matches: (call: PortCall) => boolean = () => true,
): (call: PortCall) => CutOff | undefined {
  return (call) => {
    if (!matches(call) || random.between(0, oneIn) > 0) return undefined;
    return random.between(0, 2) === 0 ? 'before' : 'after';
  };
}

/** Ports that take their time before every call. @internal */
export function withDelays(ports: ControllerPorts, delay: (call: PortCall) => Promise<void>): ControllerPorts {
  return around(ports, async (call, go) => {
    await delay(call);
    return go();
  });
}

export type Around = (call: PortCall, go: () => Promise<unknown>) => Promise<unknown>;

const PORTS = ['cluster', 'cloud', 'store', 'leases', 'catalogue', 'messages'] as const;

/** Ports with something around every call. */
export function around(ports: ControllerPorts, wrap: Around): ControllerPorts {
  const wrapped = Object.fromEntries(PORTS.map((name) => [name, proxied(name, ports[name], wrap)]));
  return { ...ports, ...wrapped };
}

function proxied(name: string, port: object, wrap: Around): unknown {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      const call = async (...args: unknown[]): Promise<unknown> =>
        wrap(
          { method: `${name}.${String(property)}`, args },
          async (): Promise<unknown> => Reflect.apply(member, target, args),
        );
      return call;
    },
  });
}
