import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Unplaced } from '../../core/scheduling/schedule.ts';
import { andMore, indented, MAX_ROWS } from '../render/render-lines.ts';
import { podNames } from './pod-groups.ts';
import { type PodError, podErrors } from './provisioning-output.ts';

interface Group {
  readonly pods: Pod[];
  readonly errors: readonly PodError[];
}

/** Renders unschedulable pods. Pods with the same reasons are grouped. */
export function renderUnplaced(unplaced: readonly Unplaced[], width: number): readonly string[] {
  if (unplaced.length === 0) return [];
  const groups = groupsOf(unplaced);
  const shown = groups.slice(0, MAX_ROWS);
  const hidden = groups.slice(MAX_ROWS).reduce((sum, { pods }) => sum + pods.length, 0);
  return [
    '',
    'Unschedulable pods',
    ...shown.flatMap(({ pods, errors }) => [
      ...indented(podNames(pods), 2, width),
      ...reasons(errors).flatMap((reason) => indented(reason, 6, width)),
    ]),
    ...andMore(hidden, 'pod'),
  ];
}

/** The groups, the largest first, then by the name of their first pod. */
function groupsOf(unplaced: readonly Unplaced[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const one of unplaced.toSorted((a, b) => compareText(podKey(a.pod), podKey(b.pod)))) {
    const errors = podErrors(one);
    const key = JSON.stringify(errors.map(({ nodePool, message }) => [nodePool, message]));
    const group = groups.get(key) ?? { pods: [], errors };
    group.pods.push(one.pod);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.pods.length - a.pods.length);
}

const MAX_POOLS = 6;

/** `NodePool general: needs 9 cpu, …`; NodePools with the same message are in one line. */
function reasons(errors: readonly PodError[]): readonly string[] {
  const byMessage = Map.groupBy(errors, ({ message }) => message);
  return [...byMessage].map(([message, same]) => {
    const pools = same.flatMap(({ nodePool }) => nodePool ?? []);
    if (pools.length === 0) return message;
    const more = pools.length > MAX_POOLS ? ` and ${pools.length - MAX_POOLS} more` : '';
    return `NodePool${pools.length === 1 ? '' : 's'} ${pools.slice(0, MAX_POOLS).join(', ')}${more}: ${message}`;
  });
}
