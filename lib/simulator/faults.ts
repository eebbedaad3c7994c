/** Faults and delays of the ports, for tests and for the simulator. */
import type { ControllerPorts } from '../controllers/run/ports.ts';
import { UnreachableError } from '../ports/errors.ts';
import type { Random } from './random.ts';

/** A call of a port, with its arguments. */
export interface PortCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** When a call fails: before it takes effect, or after it took effect and before its answer is returned. */
export type CutOff = 'before' | 'after';

/** Ports that pass every call to `decide`, and fail if it returns a cut-off. @internal */
export function withFaults(ports: ControllerPorts, decide: (call: PortCall) => CutOff | undefined): ControllerPorts {
  return around(ports, async (call, go) => {
    const cutOff = decide(call);
    if (cutOff === 'before') throw new UnreachableError(`cut off before ${call.method}`);
    const answer = await go();
    if (cutOff === 'after') throw new UnreachableError(`cut off after ${call.method}`);
    return answer;
  });
}

/** For `withFaults`: on average, one in `oneIn` matching calls is cut off, before or after its effect. The same seed gives the same faults. @internal */
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

/** Ports with a delay before every call. @internal */
export function withDelays(ports: ControllerPorts, delay: (call: PortCall) => Promise<void>): ControllerPorts {
  return around(ports, async (call, go) => {
    await delay(call);
    return go();
  });
}

export type Around = (call: PortCall, go: () => Promise<unknown>) => Promise<unknown>;

const PORTS = ['cluster', 'cloud', 'store', 'leases', 'catalogue', 'messages'] as const;

/** Ports that pass every call to `wrap`. */
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
