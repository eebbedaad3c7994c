/** What the rules ask of pods. Not the functions of lib: a rule that calls the code it judges does not find its mistakes. */
import { parseDuration } from '../../../lib/apis/formats/duration.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { DISRUPTED_TAINT } from '../../../lib/apis/taints.ts';
import type { Watched } from '../rule.ts';

export function isTerminal({ status }: Pod): boolean {
  return ['Succeeded', 'Failed'].includes(status?.phase ?? '');
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isOwnedByDaemonSet({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') === true;
}

/** Whether a drain removes the pod: the others end with their node. */
export function isDrainable(pod: Pod): boolean {
  const { key, effect } = DISRUPTED_TAINT;
  const toleratesIt = pod.spec.tolerations?.some(
    (one) =>
      (one.key === undefined || one.key === '' ? one.operator === 'Exists' : one.key === key) &&
      (one.effect === undefined || one.effect === effect),
  );
  return !isTerminal(pod) && toleratesIt !== true;
}

/** Whether the pod needs another node when its node ends. */
export function needsNode(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod) && !isOwnedByDaemonSet(pod);
}

/** Whether the annotation keeps the pod where it is: for ever, or for a time from its start. */
export function isKeptInPlace({ metadata, status }: Pod, nowMs: number): boolean {
  const value = metadata.annotations?.['karpenter.sh/do-not-disrupt'];
  if (value === undefined || value === 'true') return value === 'true';
  const untilMs = Date.parse(status?.startTime ?? '9999-01-01T00:00:00Z') + (parseDuration(value) ?? 0);
  return (parseDuration(value) ?? 0) > 0 && nowMs < untilMs;
}

/** 0 to 3: the order in which pods leave a node (D20). */
export function tierOf(pod: Pod): number {
  const isCritical = ['system-cluster-critical', 'system-node-critical'].includes(pod.spec.priorityClassName ?? '');
  return (isCritical ? 2 : 0) + (isOwnedByDaemonSet(pod) ? 1 : 0);
}

/** When each pod was first seen on its node. `note` must be called at each step. */
export function bindings({ simulation, nowMs }: Pick<Watched, 'simulation' | 'nowMs'>): {
  readonly note: () => void;
  readonly sinceMs: (pod: Pod) => number | undefined;
} {
  const boundAtMs = new Map<string, number>();
  return {
    note() {
      for (const { metadata, spec } of simulation().state.pods.values())
        if (spec.nodeName !== undefined && !boundAtMs.has(metadata.uid ?? ''))
          boundAtMs.set(metadata.uid ?? '', nowMs());
    },
    sinceMs: ({ metadata }) => boundAtMs.get(metadata.uid ?? ''),
  };
}
