import { costOf } from '../../lib/simulator/aws/simulated-ec2.ts';
import type { Watched } from './rule.ts';
import { nodeOf } from './rules/nodes.ts';
import { isKeptInPlace, isTerminal } from './rules/pods.ts';

/**
 * What the instances cost until now, to compare runs. Of an instance that cannot end because a pod on its node must not be disrupted,
 * only the time before its deletion counts: chance decides on which of several nodes the kube-scheduler binds the pod. *Units:* USD.
 */
export function comparableUsd(watched: Watched): number {
  const { simulation, startMs, nowMs } = watched;
  const heldSinceMs = heldInstances(watched);
  return simulation()
    .ec2.instances()
    .reduce((sum, one) => sum + costOf(one, heldSinceMs.get(one.id) ?? startMs() + nowMs()), 0);
}

/**
 * Instances whose deletion waits for a pod that must not be disrupted. After a restore of the table, the record has the time at which the
 * deletion was recorded again, and the object has the time of the first one. *Shape:* the time of the deletion, by id.
 */
function heldInstances(watched: Watched): ReadonlyMap<string, number> {
  const { simulation, startMs, nowMs, records } = watched;
  const { state } = simulation();
  const pods = [...state.pods.values()].filter((pod) => !isTerminal(pod) && isKeptInPlace(pod, startMs() + nowMs()));
  const nodes = new Set(pods.map(({ spec }) => spec.nodeName));
  const held = new Map<string, number>();
  for (const record of records.values()) {
    const { launch, deletion, name } = record;
    const isHeld = nodes.has(nodeOf(watched, record)?.metadata.name);
    if (launch.kind !== 'launched' || deletion === undefined || !isHeld) continue;
    const { deletionTimestamp } = state.nodeClaims.get(name)?.metadata ?? {};
    const deletedMs = deletionTimestamp === undefined ? Infinity : Date.parse(deletionTimestamp);
    held.set(launch.instance.id, Math.min(deletion.requestedAtMs, deletedMs));
  }
  return held;
}
