import { isActive } from '../../cluster/pods.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import { requiredAntiAffinityTerms } from '../pods/pod-affinity-terms.ts';
import type { PodClass, PodClasses } from '../pods/pod-classes.ts';
import type { SchedulingProblem } from '../schedule.ts';
import type { RuleSources } from './rules.ts';

/** B46: pods of this run count where the run puts them, not where they are. */
export function recordPlaced(
  { pods, stateNodes }: SchedulingProblem,
  to: { readonly hosts: readonly ExistingHost[]; readonly classes: PodClasses; readonly sources: RuleSources },
): void {
  const moving = new Set(pods.map((pod) => pod.metadata.uid ?? pod));
  stateNodes.forEach((stateNode, at) => {
    const host = to.hosts[at];
    for (const pod of stateNode.pods) {
      if (host === undefined || !isActive(pod) || moving.has(pod.metadata.uid ?? pod)) continue;
      const podClass = to.classes.ofPlaced(pod);
      declareRequiredAntiAffinity(podClass, to.sources);
      to.sources.counters.record(podClass, host);
    }
  });
}

/** B55: a pod that runs keeps others away by what it requires, not by what it prefers. */
function declareRequiredAntiAffinity(
  podClass: PodClass,
  { counters: counting, keyOf, namespacesOf: spaces }: RuleSources,
): void {
  for (const term of requiredAntiAffinityTerms(podClass.pod)) {
    const counter = counting.counterFor({
      key: keyOf(term.topologyKey),
      kind: 'repelled',
      namespaces: spaces(term, podClass.namespace),
      selector: term.labelSelector,
    });
    counting.own(counter, podClass);
  }
}
