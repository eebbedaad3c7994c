import type { Container, Pod, PodSpec } from '../../apis/kubernetes.ts';
import { add, larger, parseResources, type Resources } from './resources.ts';

/**
 * What a pod asks of a node, its own slot (`pods: 1`) included.
 * *Source:* B18: containers and sidecars together, or the largest step of the init sequence, plus overhead; pod-level
 * resources take precedence.
 */
export function podRequests(pod: Pod): Resources {
  const { spec } = pod;
  const running = larger(runningRequests(spec), runningRequests(withAllocated(pod)));
  const containers = larger(running, initPeak(spec));
  const podLevel = requestsOf(spec);
  return { ...add({ ...containers, ...podLevel }, parseResources(spec.overhead)), pods: 1 };
}

/** While a pod is resized in place, what it was given before counts until the kubelet has taken it back. */
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

/** A regular init container runs beside the sidecars that were started before it. */
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

/** Kubernetes defaults a missing request to the limit. */
function requestsOf(of: Pick<Container, 'resources'>): Resources {
  return parseResources({ ...of.resources?.limits, ...of.resources?.requests });
}
