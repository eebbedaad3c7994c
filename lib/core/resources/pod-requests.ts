import { isQuantity } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import type { Container, Pod, PodSpec } from '../../apis/kubernetes.ts';
import { add, larger, parseResources, type Resources, UNREADABLE_REQUEST } from './resources.ts';

/**
 * The requests of a pod, including one pod (`pods: 1`).
 * *Source:* B18: the sum of containers and sidecars, or the largest step of the init sequence, plus overhead; pod-level
 * resources take precedence.
 */
export function podRequests(pod: Pod): Resources {
  const { spec } = pod;
  const requestsIn = reservedIn(pod);
  const containers = larger(runningRequests(spec, requestsIn), initPeak(spec, requestsIn));
  const podLevel = requestsOf(spec);
  return { ...add({ ...containers, ...podLevel }, parseResources(spec.overhead, UNREADABLE_REQUEST)), pods: 1 };
}

type RequestsIn = (container: Container) => Resources;

/**
 * During an in-place resize, the largest of what a container requests, what the kubelet has allocated to it and what it has. A resize that
 * the node can never satisfy does not count.
 */
function reservedIn({
  status: { containerStatuses = [], initContainerStatuses = [], conditions = [] } = {},
}: Pod): RequestsIn {
  const statuses = [...containerStatuses, ...initContainerStatuses];
  if (statuses.length === 0) return requestsOf;
  const isInfeasible = conditions.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible');
  return (container) => {
    const its = statuses.find(({ name }) => name === container.name);
    const given = [its?.allocatedResources, its?.resources?.requests].filter((one) => one !== undefined);
    const requests = given.map((one) => parseResources(one, UNREADABLE_REQUEST));
    return (isInfeasible && given.length > 0 ? requests : [requestsOf(container), ...requests]).reduce(larger);
  };
}

function runningRequests(spec: PodSpec, requestsIn: RequestsIn): Resources {
  return add(...spec.containers.map(requestsIn), ...(spec.initContainers ?? []).filter(isSidecar).map(requestsIn));
}

/** The largest sum of an init container and the sidecars that start before it. */
function initPeak(spec: PodSpec, requestsIn: RequestsIn): Resources {
  let sidecars: Resources = {};
  let peak: Resources = {};
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) sidecars = add(sidecars, requestsIn(container));
    else peak = larger(peak, add(sidecars, requestsOf(container)));
  }
  return peak;
}

/** Whether the init container runs as long as the pod. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** The requests of a container. In Kubernetes, a missing request defaults to the limit. */
function requestsOf(of: Pick<Container, 'resources'>): Resources {
  return parseResources({ ...of.resources?.limits, ...of.resources?.requests }, UNREADABLE_REQUEST);
}

/** The first amount of a pod that is not a quantity, in words. The API server rejects such pods. */
export function invalidAmount(spec: PodSpec): string | undefined {
  const parts = [spec, ...spec.containers, ...(spec.initContainers ?? [])];
  const lists = parts.flatMap(({ resources }) => [resources?.requests, resources?.limits]);
  for (const list of [...lists, spec.overhead])
    for (const [name, amount] of Object.entries(list ?? {}))
      if (!isQuantity(amount))
        return `its ${name} ${quote(String(amount))} is not a quantity; write it as 500m, 2 or 1Gi`;
  return undefined;
}
