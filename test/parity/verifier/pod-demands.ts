import type { RawContainer, RawPod, RawPodSpec } from './raw-documents.ts';
import { type Amounts, amountsOf, billionths, largestOf, sumOf } from './raw-quantity.ts';

/** The demands of a pod on a node: resources and ports. */

export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/**
 * The pod's requests as the kube-scheduler counts them, and one of `pods`.
 * Sidecars run beside the containers; any other init container runs alone, with the sidecars that started before it.
 */
export function requestsOf(pod: Pick<RawPod, 'spec' | 'status'>): Amounts {
  const { spec } = pod;
  const containers = (spec.containers ?? []).map((one) => whileResized(one, pod));
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const one of spec.initContainers ?? []) {
    if (one.restartPolicy === 'Always') {
      sidecars = sumOf(sidecars, whileResized(one, pod));
      peak = largestOf(peak, sidecars);
    } else {
      peak = largestOf(peak, sumOf(sidecars, requestsOfContainer(one)));
    }
  }
  const ofContainers = largestOf(sumOf(sidecars, ...containers), peak);
  // If the pod has requests of its own, its containers do not count.
  const ofPod = new Map([...ofContainers, ...amountsOf(spec.resources?.requests)]);
  return sumOf(ofPod, amountsOf(spec.overhead), new Map([['pods', billionths(1)]]));
}

function requestsOfContainer({ resources = {} }: RawContainer): Amounts {
  // The API server uses the limit if the request is absent.
  return new Map([...amountsOf(resources.limits), ...amountsOf(resources.requests)]);
}

/** A container or sidecar has the largest of its request, its allocation and its actual resources; an infeasible request is ignored. */
function whileResized(container: RawContainer, { status = {} }: Pick<RawPod, 'status'>): Amounts {
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = status;
  const its = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container.name);
  const given = largestOf(amountsOf(its?.allocatedResources), amountsOf(its?.resources?.requests));
  const isInfeasible = conditions.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible');
  return isInfeasible && given.size > 0 ? given : largestOf(requestsOfContainer(container), given);
}

export function hostPortsOf(spec: RawPodSpec): readonly HostPort[] {
  const running = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []).filter((one) => one.restartPolicy === 'Always'),
  ];
  return running
    .flatMap(({ ports = [] }) => ports)
    .map(({ hostPort, containerPort, hostIP, protocol }) => ({
      ip: hostIP === undefined || hostIP === '' ? '0.0.0.0' : hostIP,
      port: hostPort ?? (spec.hostNetwork === true ? (containerPort ?? 0) : 0),
      protocol: protocol ?? 'TCP',
    }))
    .filter(({ port }) => port > 0);
}

/** B58: an address that stands for all addresses conflicts with every other. */
export function portClash(one: readonly HostPort[], others: readonly HostPort[]): HostPort | undefined {
  return one.find((port) => others.some((other) => clash(port, other)));
}

function clash(one: HostPort, other: HostPort): boolean {
  const sameIp = one.ip === other.ip || isEveryAddress(one.ip) || isEveryAddress(other.ip);
  return one.port === other.port && one.protocol === other.protocol && sameIp;
}

function isEveryAddress(ip: string): boolean {
  return ip === '0.0.0.0' || ip === '::';
}
