import { type LabelView, nodeAffinityHolds } from './label-selectors.ts';
import { type HostPort, hostPortsOf, requestsOf } from './pod-demands.ts';
import type { RawDaemonSet, RawPod, RawSnapshot, RawTaint } from './raw-documents.ts';
import type { Amounts } from './raw-quantity.ts';
import { untolerated } from './taints-and-tolerations.ts';

/** A DaemonSet, and the demands of one of its pods. */
export interface Daemon {
  readonly set: RawDaemonSet;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  readonly owns: (pod: RawPod) => boolean;
  readonly runsOn: (node: { readonly labels: LabelView; readonly taints: readonly RawTaint[] }) => boolean;
}

export function daemonsOf({ daemonSets = [], pods = [] }: RawSnapshot): readonly Daemon[] {
  const owned = pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet'));
  return daemonSets.map((set) => daemonOf(set, owned));
}

function daemonOf(set: RawDaemonSet, pods: readonly RawPod[]): Daemon {
  const owns = (pod: RawPod): boolean =>
    (pod.metadata.namespace ?? 'default') === (set.metadata.namespace ?? 'default') &&
    (pod.metadata.ownerReferences ?? []).some(
      (owner) =>
        owner.kind === 'DaemonSet' &&
        owner.name === set.metadata.name &&
        (owner.uid === undefined || set.metadata.uid === undefined || owner.uid === set.metadata.uid),
    );
  const { spec: template } = set.spec.template;
  // B20: demands are those of the newest pod, after admission; node selection is that of the template.
  const live = pods.filter(owns).toSorted(newestFirst)[0]?.spec ?? template;
  return {
    set,
    requests: requestsOf({ spec: live }),
    ports: hostPortsOf(live),
    owns,
    runsOn: ({ labels, taints }) =>
      untolerated(taints, live.tolerations ?? []) === undefined && nodeAffinityHolds(template, labels),
  };
}

function newestFirst(one: RawPod, other: RawPod): number {
  return (one.metadata.creationTimestamp ?? '') < (other.metadata.creationTimestamp ?? '') ? 1 : -1;
}
