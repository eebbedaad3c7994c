import type { Pod } from '../../../apis/kubernetes.ts';
import { isSidecar } from '../../resources/pod-requests.ts';

/** A host port that a pod uses (B58). */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/**
 * The host ports of containers and sidecars, as in the kube-scheduler: the port of an init container is free after it has ended. On the
 * network of the node, a container port is a host port, which the API server sets in pods but not in templates.
 */
export function hostPorts({ spec }: Pod): readonly HostPort[] {
  return [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)].flatMap((container) =>
    (container.ports ?? []).flatMap(({ containerPort = 0, hostPort = 0, hostIP = '0.0.0.0', protocol = 'TCP' }) => {
      const port = hostPort === 0 && spec.hostNetwork === true ? containerPort : hostPort;
      return port === 0 ? [] : [{ ip: hostIP, port, protocol }];
    }),
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
