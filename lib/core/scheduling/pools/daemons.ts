import type { DaemonSet, Pod } from '../../../apis/kubernetes.ts';
import { hardTaints, untoleratedTaint } from '../../../apis/taints.ts';
import { compareText } from '../../compare-text.ts';
import { typeRequirements } from '../../instance-type/type-requirements.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { intersect, type Requirement } from '../../requirements/requirement.ts';
import { type Requirements, whyIncompatible, whyNotGuaranteed } from '../../requirements/requirements.ts';
import { invalidAmount, podRequests } from '../../resources/pod-requests.ts';
import { add, type Resources } from '../../resources/resources.ts';
import type { Host } from '../placement/host.ts';
import { type HostPort, hostPorts } from '../pods/host-ports.ts';
import { requiredAlternatives } from '../pods/pod-requirements.ts';

/** A DaemonSet with the pod that it would create on a node (B20). */
export interface Daemon {
  readonly uid: string;
  readonly pod: Pod;
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
  /** B21: a node must satisfy one of these. */
  readonly alternatives: readonly Requirements[];
}

/**
 * B20: the requests of the newest pod, with or without a node, which includes the changes of admission webhooks; else those of the template.
 * `pods`: those of the cluster that are not terminal. A DaemonSet with an amount that is not a quantity is left out.
 */
export function daemonsOf(daemonSets: readonly DaemonSet[], pods: readonly Pod[] = []): readonly Daemon[] {
  return daemonSets.flatMap((daemonSet) => {
    const uid = daemonSet.metadata.uid ?? '';
    const pod = daemonPod(daemonSet, newestPodOf(uid, pods));
    // Its requests would leave no room on any node.
    if (invalidAmount(pod.spec) !== undefined) return [];
    return [{ uid, pod, requests: podRequests(pod), ports: hostPorts(pod), alternatives: requiredAlternatives(pod) }];
  });
}

/** The DaemonSet controller pins each pod to its node by affinity, so the node selector and affinity come from the template. */
function daemonPod({ metadata, spec }: DaemonSet, live: Pod | undefined): Pod {
  const { template } = spec;
  const { affinity: _pinned, nodeSelector: _selector, ...running } = live?.spec ?? template.spec;
  const { affinity, nodeSelector } = template.spec;
  return {
    metadata: { ...metadata, ...template.metadata },
    spec: {
      ...running,
      ...(affinity === undefined ? {} : { affinity }),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
    },
  };
}

function newestPodOf(uid: string, pods: readonly Pod[]): Pod | undefined {
  if (uid === '') return undefined;
  const mine = pods.filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  return mine.toSorted((a, b) => compareText(createdAt(b), createdAt(a)))[0];
}

function createdAt({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? '';
}

/** The requests of the daemons that run on the host (B21). */
export function daemonOverhead(daemons: readonly Daemon[], host: Host): Resources {
  return add(...daemons.filter((daemon) => runsOn(daemon, host)).map((daemon) => daemon.requests));
}

/** The total requests and host ports of the daemons on a node. */
export interface DaemonGroup {
  readonly requests: Resources;
  /** The host ports that they use (B58). */
  readonly ports: readonly HostPort[];
}

/** The daemons on each instance type, by the name of the type (B21). *Shape:* types with the same daemons share one group. */
export function daemonGroups(
  daemons: readonly Daemon[],
  host: Host,
  types: readonly InstanceType[],
): ReadonlyMap<string, DaemonGroup> {
  const groups = new Map<string, DaemonGroup>();
  const groupOf = (type: InstanceType): DaemonGroup => {
    const mine = daemons.filter((daemon) => runsOn(daemon, host, typeRequirements(type)));
    const text = mine.map((daemon) => daemons.indexOf(daemon)).join();
    const group = groups.get(text) ?? {
      requests: add(...mine.map(({ requests }) => requests)),
      ports: mine.flatMap(({ ports }) => ports),
    };
    groups.set(text, group);
    return group;
  };
  return new Map(types.map((type) => [type.name, groupOf(type)]));
}

/** The daemons that will run on the host for certain. `open`: the labels that the host may still get. */
export function certainDaemons(daemons: readonly Daemon[], host: Host, open: ReadonlySet<string>): readonly Daemon[] {
  return daemons.filter(
    (daemon) =>
      isTolerant(daemon.pod, host) &&
      daemon.alternatives.some((asked) => whyNotGuaranteed(host.requirements, asked, open) === undefined),
  );
}

/** B21: the host must satisfy one of the required OR terms. */
export function runsOn(
  { pod, alternatives }: Pick<Daemon, 'pod' | 'alternatives'>,
  host: Host,
  type?: Requirements,
): boolean {
  if (!isTolerant(pod, host)) return false;
  const undefinedAllowed = host.fixed ? NO_LABELS : undefined;
  return alternatives.some(
    (asked) => whyIncompatible(offeredFor(asked, host.requirements, type), asked, undefinedAllowed) === undefined,
  );
}

const NO_LABELS: ReadonlySet<string> = new Set();

/** The requirements of host and type, for the requested labels. */
function offeredFor(asked: Requirements, host: Requirements, type: Requirements | undefined): Requirements {
  if (type === undefined || asked.size === 0) return host;
  const offered = new Map<string, Requirement>();
  for (const key of asked.keys()) {
    const [ofHost, ofType] = [host.get(key), type.get(key)];
    const both = ofHost === undefined || ofType === undefined ? (ofHost ?? ofType) : intersect(ofHost, ofType);
    if (both !== undefined) offered.set(key, both);
  }
  return offered;
}

/** B21: soft taints are tolerated. */
function isTolerant(pod: Pod, host: Host): boolean {
  return untoleratedTaint(hardTaints(host.taints), pod.spec.tolerations) === undefined;
}
