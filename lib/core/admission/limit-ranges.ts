import {
  type Container,
  type LimitRange,
  type LimitRangeItem,
  namespaceOf,
  type Pod,
  type PodTemplate,
  type ResourceList,
} from '../../apis/kubernetes.ts';

interface Defaults {
  readonly limits: ResourceList;
  readonly requests: ResourceList;
}

/**
 * The pod as the API server stores it: the LimitRanges of its namespace add requests and limits to containers that have none. A request
 * that is missing beside a limit is that limit, as without a LimitRange. Of several LimitRanges with a default for the same resource, the
 * first is used. *Cost:* O(LimitRanges + containers).
 */
export function withLimitRanges(pod: Pod, limitRanges: readonly LimitRange[]): Pod {
  const namespace = namespaceOf(pod);
  const own = limitRanges.filter((one) => namespaceOf(one) === namespace).flatMap(({ spec }) => spec.limits);
  const defaults = own.filter(({ type }) => type === 'Container').map(defaultsOf);
  if (defaults.length === 0) return pod;
  const { containers, initContainers } = pod.spec;
  const complete = (container: Container): Container => withDefaults(container, defaults);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(complete),
      ...(initContainers !== undefined && { initContainers: initContainers.map(complete) }),
    },
  };
}

/** The template as the pods have it that are created from it in this namespace. */
export function templateWithLimitRanges(
  template: PodTemplate,
  namespace: string,
  limitRanges: readonly LimitRange[],
): PodTemplate {
  return {
    ...template,
    spec: withLimitRanges({ metadata: { name: '', namespace }, spec: template.spec }, limitRanges).spec,
  };
}

/** A default limit that is missing is `max`. A default request that is missing is the default limit, else `min`. */
function defaultsOf({ default: limits, defaultRequest, max, min }: LimitRangeItem): Defaults {
  const all = { ...max, ...limits };
  return { limits: all, requests: { ...min, ...all, ...defaultRequest } };
}

function withDefaults(container: Container, defaults: readonly Defaults[]): Container {
  const { limits, requests } = container.resources ?? {};
  // The last list has precedence.
  const byPrecedence = defaults.toReversed();
  return {
    ...container,
    resources: {
      ...container.resources,
      limits: { ...joined(byPrecedence.map((one) => one.limits)), ...limits },
      requests: { ...joined(byPrecedence.map((one) => one.requests)), ...limits, ...requests },
    },
  };
}

function joined(lists: readonly ResourceList[]): ResourceList {
  return Object.fromEntries(lists.flatMap((list) => Object.entries(list)));
}
