import type { Pod, PodAffinityTerm } from '../../apis/kubernetes.ts';
import type { Blocked } from '../model/decision.ts';
import { namespacedSubject } from '../model/subject.ts';
import type { Observed } from '../observed.ts';

/**
 * Sets pods aside that need the labels of namespaces, while namespaces are unread: those without a node whose required pod affinity
 * or anti-affinity selects namespaces by labels. Terms of pods that run count in no namespace meanwhile. So a node may be launched
 * that the kube-scheduler does not use for a pod; the pod is planned again.
 */
export function awaitNamespaces(
  pods: readonly Pod[],
  namespaces: Observed<unknown>,
): { readonly known: readonly Pod[]; readonly waiting: readonly Blocked[] } {
  if (namespaces.kind === 'read') return { known: pods, waiting: [] };
  const isWaiting = (pod: Pod): boolean => pod.spec.nodeName === undefined && requiredTerms(pod).some(needsLabels);
  const { message: cause } = namespaces.failure;
  const message = `its affinity selects namespaces by labels, and the namespaces could not be read: ${cause}`;
  return {
    known: pods.filter((pod) => !isWaiting(pod)),
    waiting: pods
      .filter(isWaiting)
      .map((pod) => ({ subject: namespacedSubject('Pod', pod), reason: 'NotRead', message, numbers: {} })),
  };
}

function requiredTerms({ spec: { affinity } }: Pod): readonly PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap(
    (one) => one?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
  );
}

/** An empty selector selects all namespaces. */
function needsLabels({ namespaceSelector }: PodAffinityTerm): boolean {
  const { matchLabels = {}, matchExpressions = [] } = namespaceSelector ?? {};
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}
