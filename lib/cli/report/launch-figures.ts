import { counted, firstNames } from '../../apis/counted.ts';
import { formatDayTime } from '../../apis/formats/time.ts';
import { compareText } from '../../core/compare-text.ts';
import { formatUsdPerHour } from '../render/format-money.ts';
import { withoutDefault } from '../render/pod-names.ts';
import type { ComparedLaunch, LaunchedNode } from './compare-launches.ts';

/** The launches of a report by what can be said of them. */
export interface LaunchKinds {
  /** What Kerf would have launched for exactly the same pods is known. */
  readonly comparable: readonly ComparedLaunch[];
  /** Those that are shown: the prices differ by more than a percent, or cannot be compared. */
  readonly different: readonly ComparedLaunch[];
  /** No waiting pod was seen. */
  readonly withoutPods: readonly ComparedLaunch[];
  /** The number of launches with pods. */
  readonly forPods: number;
}

export function launchKinds(launches: readonly ComparedLaunch[]): LaunchKinds {
  const forPods = launches.filter(({ pods }) => pods.length > 0);
  return {
    comparable: forPods.filter(isComparable),
    different: forPods.filter((one) => !isComparable(one) || isDifferent(one)),
    withoutPods: launches.filter(({ pods }) => pods.length === 0),
    forPods: forPods.length,
  };
}

function isComparable({ kerf }: ComparedLaunch): boolean {
  return kerf !== undefined && kerf.otherPods === 0;
}

const SAME_SHARE = 0.01;

function isDifferent({ kerf, otherUsdPerHour }: ComparedLaunch): boolean {
  return Math.abs((kerf?.usdPerHour ?? 0) - otherUsdPerHour) > otherUsdPerHour * SAME_SHARE;
}

/** The figures in sentences. */
export function launchFigures(launches: readonly ComparedLaunch[]): readonly string[] {
  const { comparable, forPods, withoutPods } = launchKinds(launches);
  const other = comparable.reduce((sum, { otherUsdPerHour }) => sum + otherUsdPerHour, 0);
  const kerf = comparable.reduce((sum, one) => sum + (one.kerf?.usdPerHour ?? 0), 0);
  const percent = other === 0 ? 0 : ((other - kerf) / other) * 100;
  const verb = percent >= 0 ? 'less' : 'more';
  const replaced = withoutPods.reduce((sum, { otherUsdPerHour }) => sum + otherUsdPerHour, 0);
  const unknown = forPods - comparable.length;
  return [
    ...(comparable.length === 0
      ? []
      : [
          `For the pods of ${counted(comparable.length, 'launch', 'launches')}, the other autoscaler launched nodes for ${formatUsdPerHour(other)}, and Kerf would have launched nodes for ${formatUsdPerHour(kerf)}: ${Math.abs(percent).toFixed(1)} % ${verb}.`,
        ]),
    ...(unknown === 0
      ? []
      : [
          `${counted(unknown, 'further launch', 'further launches')} cannot be compared: it is not known what Kerf would have launched for exactly these pods.`,
        ]),
    ...(withoutPods.length === 0
      ? []
      : [
          `${counted(withoutPods.length, 'launch', 'launches')} for ${formatUsdPerHour(replaced)} had no waiting pods: these nodes replaced others, or their pods had ended at the next look.`,
        ]),
  ];
}

export function launchCells({ atMs, pods, other, otherUsdPerHour, kerf }: ComparedLaunch): readonly string[] {
  return [
    formatDayTime(atMs),
    `${counted(pods.length, 'pod')}: ${workloadsText(pods)}`,
    nodesText(other),
    otherUsdPerHour.toFixed(4),
    kerf === undefined ? 'not known: no decision has these pods' : kerfText(kerf),
    kerf?.usdPerHour.toFixed(4) ?? '',
    kerf?.record ?? '',
  ];
}

function kerfText({ nodes, otherPods }: NonNullable<ComparedLaunch['kerf']>): string {
  const launched = nodes.length === 0 ? 'no node: the pods fit existing nodes' : nodesText(nodes);
  return otherPods === 0 ? launched : `${launched}; also for ${counted(otherPods, 'pod')} that no later look has`;
}

/** `2 × c7g.large spot in us-east-1a, m5.large on-demand in us-east-1b`. */
function nodesText(nodes: readonly LaunchedNode[]): string {
  const texts = nodes.map(({ instanceType, capacityType, zone }) =>
    [instanceType, capacityType, zone === '' ? '' : `in ${zone}`].filter((part) => part !== '').join(' '),
  );
  return [...Map.groupBy(texts, (text) => text)]
    .map(([text, same]) => (same.length === 1 ? text : `${same.length} × ${text}`))
    .toSorted(compareText)
    .join(', ');
}

const MAX_WORKLOADS = 4;
/** The ends that Deployments, Jobs and StatefulSets add to names. */
const GENERATED = /(?:-[a-z\d]{6,10}-[a-z\d]{5}|-[bcdfghjklmnpqrstvwxz2456789]{5}|-\d+)$/;

/** `web ×12, shop/api and 3 more`. */
function workloadsText(pods: readonly string[]): string {
  const counts = [...Map.groupBy(pods, (pod) => withoutDefault(pod.replace(GENERATED, '')))]
    .map(([name, same]) => ({ name, count: same.length }))
    .toSorted((a, b) => b.count - a.count || compareText(a.name, b.name));
  const names = counts.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`));
  return firstNames(names, MAX_WORKLOADS);
}
