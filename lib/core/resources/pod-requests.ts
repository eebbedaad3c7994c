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
  const running = larger(runningRequests(spec), runningRequests(withAllocated(pod)));
  const containers = larger(running, initPeak(spec));
  const podLevel = requestsOf(spec);
  return { ...add({ ...containers, ...podLevel }, parseResources(spec.overhead, UNREADABLE_REQUEST)), pods: 1 };
}

/** During an in-place resize, the allocated resources count until the kubelet has released them. */
function withAllocated({ spec, status }: Pod): PodSpec {
  const allocated = new Map(status?.containerStatuses?.map((one) => [one.name, one.allocatedResources]));
  if (allocated.size === 0) return spec;
  const containers = spec.containers.map((container) => {
    const requests = allocated.get(container.name);
    return requests === undefined ? container : { ...container, resources: { requests } };
  });
  return { ...spec, containers };
}

function runningRequests(spec: PodSpec): Resources {
  return add(...spec.containers.map(requestsOf), ...(spec.initContainers ?? []).filter(isSidecar).map(requestsOf));
}

/** The largest sum of an init container and the sidecars that start before it. */
function initPeak(spec: PodSpec): Resources {
  let sidecars: Resources = {};
  let peak: Resources = {};
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) sidecars = add(sidecars, requestsOf(container));
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
