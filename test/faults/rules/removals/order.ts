import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { namespaceOf, type Pod } from '../../../../lib/apis/kubernetes.ts';
import { INITIALIZED } from '../../../../lib/apis/labels.ts';
import { sameTaint } from '../../../../lib/apis/taints.ts';
import { claimNames } from '../../../../lib/core/cluster/pod-volumes.ts';
import { isKeptInPlace } from '../../../../lib/core/cluster/pods.ts';
import type { PodTarget } from '../../../../lib/core/model/decision.ts';
import { instanceOf } from '../../../../lib/core/model/node-claim-record.ts';
import { includesCall, isActiveAt } from '../../../../lib/simulator/faults/fault.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { nodeOf, recordOf } from '../nodes.ts';
import { endOf } from '../progress/removal-duties.ts';

/** Clocks of functions are up to two minutes apart from the true time. */
const CLOCK_MS = 2 * MINUTE_MS;

/** Drains evict no pod that must not be disrupted. */
export const keptPodsStay: RuleOf = (watched) => {
  const { violate, nowMs, startMs, story } = watched;
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCK_MS : 0;
  return {
    evicting(target) {
      const pod = podOf(watched, target);
      if (pod === undefined) return;
      const now = startMs() + nowMs();
      if (isKeptInPlace(pod, now - slackMs) && isKeptInPlace(pod, now + slackMs))
        violate('pods that must not be disrupted stay', `pod ${target.name} was to be evicted`);
    },
  };
};

function podOf({ simulation }: Watched, { namespace, name, uid }: PodTarget): Pod | undefined {
  const pod = simulation().state.pods.get(`${namespace}/${name}`);
  return pod?.metadata.uid === uid ? pod : undefined;
}

const ATTACHMENTS = 'cluster.listVolumeAttachments';
/** Without one of these lists, the volumes of a node are not known. */
const VOLUME_LISTS = [ATTACHMENTS, 'cluster.listPersistentVolumeClaims', 'cluster.listNodes'];
/** After this time, an instance does not wait any longer for volumes that cannot be read. */
const UNREAD_MS = 6 * MINUTE_MS;
/** From the list of the volumes to the termination. */
const RUN_MS = 10 * SECOND_MS;

/**
 * D25: an instance is terminated after the volumes of its evicted pods are detached, or at its deadline. It does not wait for volumes that
 * the API server refuses to list, or that could not be read for six minutes. To terminate an instance that shuts down already changes
 * nothing. Kerf does so while EC2's list cannot be read: the accepted termination is repeated, because the instance may run (D26).
 */
export const volumesAreDetached: RuleOf = (watched) => {
  const { violate, simulation, records, nowMs, startMs, story } = watched;
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCK_MS : 0;
  const areUnknown = (): boolean =>
    story.faults.some((fault) => {
      if (fault.kind !== 'calls-fail' && fault.kind !== 'calls-hang') return false;
      if (!isActiveAt({ ...fault, forMs: fault.forMs + RUN_MS }, nowMs())) return false;
      if (fault.kind === 'calls-fail' && fault.error === 403 && includesCall(fault.calls, ATTACHMENTS)) return true;
      const isLong = nowMs() - fault.fromMs >= UNREAD_MS - slackMs;
      return isLong && VOLUME_LISTS.some((method) => includesCall(fault.calls, method));
    });
  /** Volumes of evicted pods, as `node volume`. */
  const ended = new Set<string>();
  const note = (target: PodTarget): void => {
    const pod = podOf(watched, target);
    if (pod === undefined) return;
    for (const name of claimNames(pod)) ended.add(`${pod.spec.nodeName} pv-${namespaceOf(pod)}-${name}`);
  };
  return {
    // A restored record does not have the volumes of pods that were evicted since.
    replaced: () => ended.clear(),
    evicting: note,
    deletingPod: note,
    terminating(_, id) {
      if (endOf(watched, id) !== undefined) return;
      const record = [...records.values()].find((one) => instanceOf(one)?.id === id);
      const node = record && nodeOf(watched, record);
      const deadlineMs = record?.deletion?.deadlineMs ?? Infinity;
      if (node === undefined || startMs() + nowMs() >= deadlineMs - slackMs) return;
      const attached = [...simulation().state.storage.attachments.values()].find(
        ({ spec }) =>
          spec.nodeName === node.metadata.name && ended.has(`${spec.nodeName} ${spec.source.persistentVolumeName}`),
      );
      const isUsed = [...simulation().state.pods.values()].some(
        (pod) => pod.spec.nodeName === node.metadata.name && claimNames(pod).length > 0,
      );
      if (attached !== undefined && !isUsed && !areUnknown())
        violate('volumes are detached before the instance ends', `instance ${id}: ${attached.metadata.name}`);
    },
  };
};

/** D7: a node is initialized after its startup taints are removed. */
export const startupTaintsAreAwaited: RuleOf = (watched) => {
  const { violate, simulation } = watched;
  const known = new Set<string>();
  return {
    step() {
      for (const { metadata, spec } of simulation().state.nodes.values()) {
        if (metadata.labels?.[INITIALIZED] !== 'true' || known.has(metadata.uid ?? metadata.name)) continue;
        known.add(metadata.uid ?? metadata.name);
        const record = recordOf(watched, spec?.providerID);
        const startup = record?.spec.startupTaints ?? [];
        const left = spec?.taints?.find((taint) => startup.some((one) => sameTaint(one, taint)));
        if (left !== undefined)
          violate('a node is initialized without startup taints', `node ${metadata.name} has the taint ${left.key}`);
      }
    },
  };
};
