import type { DaemonSet, Pod } from '../../apis/kubernetes.ts';
import { untoleratedTaint } from '../../apis/taints.ts';
import {
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
  whyIncompatible,
  whyNotGuaranteed,
} from '../requirements/requirements.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { add, type Resources } from '../resources/resources.ts';
import type { Host } from './host.ts';
import { type HostPort, hostPorts } from './host-ports.ts';

/** A DaemonSet with the pod that it would put on a node (B20). */
export interface Daemon {
  readonly uid: string;
  readonly pod: Pod;
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
}

export function daemonsOf(daemonSets: readonly DaemonSet[]): readonly Daemon[] {
  return daemonSets.map((daemonSet) => {
    const pod: Pod = {
      metadata: { ...daemonSet.metadata, ...daemonSet.spec.template.metadata },
      spec: daemonSet.spec.template.spec,
    };
    return { uid: daemonSet.metadata.uid ?? '', pod, requests: podRequests(pod), ports: hostPorts(pod) };
  });
}

/** What the daemons that run on such a host take of it (B21). */
export function daemonOverhead(daemons: readonly Daemon[], host: Host, type?: Requirements): Resources {
  return add(...daemons.filter((daemon) => runsOn(daemon.pod, host, type)).map((daemon) => daemon.requests));
}

/** The host ports that daemons take on such a host (B58). */
export function daemonPorts(daemons: readonly Daemon[], host: Host, type?: Requirements): readonly HostPort[] {
  return daemons.flatMap((daemon) => (daemon.ports.length > 0 && runsOn(daemon.pod, host, type) ? daemon.ports : []));
}

/** The daemons that run on the host whatever becomes of it; `open` names the labels that it may still get. */
export function certainDaemons(daemons: readonly Daemon[], host: Host, open: ReadonlySet<string>): readonly Daemon[] {
  return daemons.filter(({ pod }) =>
    meets(pod, host, (asked) => whyNotGuaranteed(host.requirements, asked, open) === undefined),
  );
}

export function runsOn(pod: Pod, host: Host, type?: Requirements): boolean {
  const offered = type === undefined ? host.requirements : merge(host.requirements, type);
  return meets(pod, host, (asked) => whyIncompatible(offered, asked, host.fixed ? new Set() : undefined) === undefined);
}

/** B21: soft taints are tolerated, and any of the required OR terms will do. */
function meets(pod: Pod, host: Host, isOffered: (asked: Requirements) => boolean): boolean {
  const hard = host.taints.filter((taint) => taint.effect !== 'PreferNoSchedule');
  if (untoleratedTaint(hard, pod.spec.tolerations) !== undefined) return false;
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [
    {},
  ];
  const selector = requirementsFromLabels(pod.spec.nodeSelector);
  return terms.some((term) => isOffered(merge(selector, requirementsFrom(term.matchExpressions ?? []))));
}
