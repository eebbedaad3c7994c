import type { Container, Pod, PodSpec } from '../../apis/kubernetes.ts';
import { add, larger, parseResources, type Resources } from './resources.ts';

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
  return { ...add({ ...containers, ...podLevel }, parseResources(spec.overhead)), pods: 1 };
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

function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** The requests of a container. In Kubernetes, a missing request defaults to the limit. */
function requestsOf(of: Pick<Container, 'resources'>): Resources {
  return parseResources({ ...of.resources?.limits, ...of.resources?.requests });
}
