import type { DaemonSet, Pod } from '../../apis/kubernetes.ts';
import { untoleratedTaint } from '../../apis/taints.ts';
import {
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
  whyIncompatible,
} from '../requirements/requirements.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { add, type Resources } from '../resources/resources.ts';
import type { Host } from './host.ts';

/** A DaemonSet with the pod that it would put on a node (B20). */
export interface Daemon {
  readonly uid: string;
  readonly pod: Pod;
  readonly requests: Resources;
}

export function daemonsOf(daemonSets: readonly DaemonSet[]): readonly Daemon[] {
  return daemonSets.map((daemonSet) => {
    const pod: Pod = {
      metadata: { ...daemonSet.metadata, ...daemonSet.spec.template.metadata },
      spec: daemonSet.spec.template.spec,
    };
    return { uid: daemonSet.metadata.uid ?? '', pod, requests: podRequests(pod) };
  });
}

/** What the daemons that run on such a host take of it (B21). */
export function daemonOverhead(daemons: readonly Daemon[], host: Host, type?: Requirements): Resources {
  return add(...daemons.filter((daemon) => runsOn(daemon.pod, host, type)).map((daemon) => daemon.requests));
}

/** B21: soft taints are tolerated, and any of the required OR terms will do. */
export function runsOn(pod: Pod, host: Host, type?: Requirements): boolean {
  const hard = host.taints.filter((taint) => taint.effect !== 'PreferNoSchedule');
  if (untoleratedTaint(hard, pod.spec.tolerations) !== undefined) return false;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [
    {},
  ];
  const selector = requirementsFromLabels(pod.spec.nodeSelector);
  const offered = type === undefined ? host.requirements : merge(host.requirements, type);
  return terms.some((term) => {
    const asked = merge(selector, requirementsFrom(term.matchExpressions ?? []));
    return whyIncompatible(offered, asked, host.fixed ? new Set() : undefined) === undefined;
  });
}
