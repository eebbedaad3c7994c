import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { isGroupName } from '../../../lib/core/node-claim/launch/launch-groups.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { isAwaited } from './launches.ts';
import { isRegisteredInstance, nodeOf, recordOf } from './nodes.ts';
import { isDrainable, isOwnedByDaemonSet, isTerminal } from './pods.ts';

/** Clocks of functions are up to two minutes apart from the true time. */
const CLOCK_MS = 2 * MINUTE_MS;

/** A pod is deleted without the Eviction API only for the deadline of its node, or when the cluster goes to zero (promise 3). */
export const podsAreEvicted: RuleOf = (watched) => {
  const { violate, simulation, nowMs, startMs, story } = watched;
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCK_MS + 2 * SECOND_MS : 2 * SECOND_MS;
  const podOf = ({ namespace, name, uid }: { namespace: string; name: string; uid: string }): Pod | undefined => {
    const pod = simulation().state.pods.get(`${namespace}/${name}`);
    return pod?.metadata.uid === uid ? pod : undefined;
  };
  const restore = latestRestore(watched);
  return {
    replaced: restore.note,
    evicting(target) {
      const pod = podOf(target);
      if (pod === undefined || restore.isRecent()) return;
      const record = recordOfNode(watched, pod.spec.nodeName);
      if (record?.deletion === undefined)
        violate(
          'only nodes that are removed are drained',
          `pod ${target.name} on ${pod.spec.nodeName} was to be evicted`,
        );
    },
    deletingPod(target, graceSeconds) {
      const pod = podOf(target);
      if (pod === undefined || restore.isRecent()) return;
      const rule = 'no pod is deleted before the deadline';
      const record = recordOfNode(watched, pod.spec.nodeName);
      if (record?.deletion === undefined)
        return violate(rule, `pod ${target.name}: its node ${pod.spec.nodeName} is not removed`);
      const { deadlineMs } = record.deletion;
      const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * SECOND_MS;
      if (deadlineMs === undefined) {
        if (target.namespace !== 'kube-system')
          violate(rule, `pod ${target.name}: node ${pod.spec.nodeName} has no deadline`);
        return;
      }
      const earliestMs = deadlineMs - graceMs;
      if (startMs() + nowMs() < earliestMs - slackMs)
        violate(rule, `pod ${target.name} was deleted ${earliestMs - startMs() - nowMs()} ms too early`);
      if (graceSeconds * SECOND_MS > graceMs + slackMs && graceSeconds > 1)
        violate(
          rule,
          `pod ${target.name} was deleted with ${graceSeconds} s, and its grace period is ${graceMs / SECOND_MS} s`,
        );
    },
  };
};

/** A run that began before the table was restored has read deletions that are lost, and may take as long as a function. */
function latestRestore({ nowMs }: Watched) {
  let atMs = -Infinity;
  return {
    note: (): void => {
      atMs = nowMs();
    },
    isRecent: (): boolean => nowMs() - atMs < MINUTE_MS,
  };
}

/** An instance is terminated only if its claim is deleted for a reason, or released, and its node is drained. */
export const instancesEndForAReason: RuleOf = (watched) => {
  const { violate, records, simulation, nowMs, startMs, story } = watched;
  const rule = 'an instance is terminated only for a recorded reason';
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCK_MS : 0;
  const restore = latestRestore(watched);
  return {
    replaced: restore.note,
    terminating(cluster, id) {
      if (restore.isRecent()) return;
      const instance = simulation()
        .ec2.instances()
        .find((one) => one.id === id);
      // EC2 refuses the termination of an instance without tags. Kerf sees this only if EC2 lists the instance.
      if (instance === undefined || instance.endedAtMs !== undefined || instance.cluster !== cluster) return;
      // The tag of an instance of a group names the group until it can be replaced; its record names the instance.
      const record = records.get(instance.nodeClaim) ?? recordOf(watched, providerIdOf(instance));
      if (record === undefined) {
        if (isLateMember(watched, instance)) return;
        return violate(rule, `instance ${id}: its NodeClaim ${instance.nodeClaim} has no record`);
      }
      const own = instanceOf(record);
      if (record.releasedAtMs !== undefined || (own !== undefined && own.id !== id)) return;
      const { deletion } = record;
      if (deletion === undefined || deletion.message === '')
        return violate(rule, `instance ${id}: its NodeClaim ${record.name} is not deleted`);
      const isLate = deletion.deadlineMs !== undefined && startMs() + nowMs() >= deletion.deadlineMs - slackMs;
      const left = podsToDrain(watched, record);
      if (left.length > 0 && !isLate)
        violate(
          'a node is drained before its instance ends',
          `instance ${id}: ${left.map(({ metadata }) => metadata.name).join(', ')}`,
        );
    },
  };
};

/** EC2 listed it after the claims of its group were given up, and no pods run on it. */
function isLateMember(
  watched: Watched,
  { id, nodeClaim: group }: { readonly id: string; readonly nodeClaim: string },
): boolean {
  const isWaitedFor = [...watched.records.values()].some((one) => isAwaited(one, group));
  return isGroupName(group) && !isWaitedFor && !isRegisteredInstance(watched, id);
}

/** Pods that a drain must wait for: a controller made them and they run. */
function podsToDrain(watched: Watched, record: NodeClaimRecord): readonly Pod[] {
  const { simulation, startMs, nowMs } = watched;
  const { state } = simulation();
  const node = nodeOf(watched, record);
  if (node === undefined || record.registeredAtMs === undefined) return [];
  // D21: a pod that should have ended a minute ago is not waited for. The wait is longer by the clocks that differ.
  const stuckMs = startMs() + nowMs() - MINUTE_MS + 5 * SECOND_MS;
  return [...state.pods.values()].filter(
    (pod) =>
      pod.spec.nodeName === node.metadata.name &&
      isDrainable(pod) &&
      !isTerminal(pod) &&
      !isOwnedByDaemonSet(pod) &&
      // A pod that was bound while the pods were listed is seen by the next run only.
      pod.status?.phase === 'Running' &&
      Date.parse(pod.metadata.deletionTimestamp ?? '9999-01-01T00:00:00Z') > stuckMs,
  );
}

function recordOfNode(watched: Watched, name: string | undefined): NodeClaimRecord | undefined {
  return recordOf(watched, watched.simulation().state.nodes.get(name ?? '')?.spec?.providerID);
}
