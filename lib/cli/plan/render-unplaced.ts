import { podKey } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import { groupByReasons, reasonLines, refusalsOf } from '../../core/provisioning/pod-refusals.ts';
import type { Unplaced } from '../../core/scheduling/schedule.ts';
import { podNames } from '../render/pod-names.ts';
import { andMore, indented, MAX_ROWS } from '../render/render-lines.ts';

/** Renders unschedulable pods. Pods with the same reasons are grouped. */
export function renderUnplaced(unplaced: readonly Unplaced[], width: number): readonly string[] {
  if (unplaced.length === 0) return [];
  const sorted = unplaced.toSorted((a, b) => compareText(podKey(a.pod), podKey(b.pod)));
  const groups = groupByReasons(sorted, refusalsOf);
  const shown = groups.slice(0, MAX_ROWS);
  const hidden = groups.slice(MAX_ROWS).reduce((sum, { pods }) => sum + pods.length, 0);
  return [
    '',
    'Unschedulable pods',
    ...shown.flatMap(({ pods, reasons }) => [
      ...indented(podNames(pods.map(({ pod }) => podKey(pod))), 2, width),
      ...reasonLines(reasons).flatMap((reason) => indented(reason, 6, width)),
    ]),
    ...andMore(hidden, 'pod'),
  ];
}
