import type { ControllerPorts } from '../../lib/controllers/ports.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';

/** A call of a port: which one, and with what. */
export interface PortCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Where a function is cut off: before the call takes effect, or after it took effect and before its answer was seen. */
export type CutOff = 'before' | 'after';

const PORTS = ['cluster', 'cloud', 'store', 'catalogue', 'messages'] as const;

/** Ports that report every call, and fail where they are told to. */
export function withFaults(ports: ControllerPorts, decide: (call: PortCall) => CutOff | undefined): ControllerPorts {
  const wrapped = Object.fromEntries(PORTS.map((name) => [name, faulty(name, ports[name], decide)]));
  return { ...ports, ...wrapped };
}

function faulty(name: string, port: object, decide: (call: PortCall) => CutOff | undefined): unknown {
  return new Proxy(port, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const method = `${name}.${String(property)}`;
        const cutOff = decide({ method, args });
        if (cutOff === 'before') throw new UnreachableError(`cut off before ${method}`);
        const answer: unknown = await Reflect.apply(member, target, args);
        if (cutOff === 'after') throw new UnreachableError(`cut off after ${method}`);
        return answer;
      };
    },
  });
}
