import type { Pod } from '../../../apis/kubernetes.ts';

/** A host port that a pod uses (B58). */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

export function hostPorts(pod: Pod): readonly HostPort[] {
  return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap((container) =>
    (container.ports ?? []).flatMap((port) =>
      port.hostPort === undefined || port.hostPort === 0
        ? []
        : [{ ip: port.hostIP ?? '0.0.0.0', port: port.hostPort, protocol: port.protocol ?? 'TCP' }],
    ),
  );
}

/** The first wanted port that is taken; 0.0.0.0 and :: stand for every address. */
export function conflictingPort(wanted: readonly HostPort[], taken: readonly HostPort[]): HostPort | undefined {
  return wanted.find((one) =>
    taken.some(
      (other) =>
        one.port === other.port &&
        one.protocol === other.protocol &&
        (one.ip === other.ip || isAny(one.ip) || isAny(other.ip)),
    ),
  );
}

function isAny(ip: string): boolean {
  return ip === '0.0.0.0' || ip === '::';
}
