import { firstNames } from '../../apis/counted.ts';
import { namespaceOf, type Pod } from '../../apis/kubernetes.ts';
import { workloadIn } from '../../core/cluster/workload-of.ts';
import { compareText } from '../../core/compare-text.ts';
import { withoutDefault } from '../render/pod-names.ts';

/** `web ×12, shop/api and 3 more`: the workloads of pods, the largest first. */
export function podSummary(pods: readonly Pod[], max: number): string {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const name = displayName(pod);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([a, few], [b, many]) => many - few || compareText(a, b));
  const shown = sorted.slice(0, max).map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return firstNames(shown, max, sorted.length);
}

/** The name of the workload if the name of the pod begins with it, or else the name of the pod without its number. */
function displayName(pod: Pod): string {
  const { name } = pod.metadata;
  const workload = workloadIn(pod);
  const isNamed = workload !== undefined && name.startsWith(`${workload.name}-`);
  return withoutDefault(`${namespaceOf(pod)}/${isNamed ? workload.name : name.replace(/-\d+$/, '')}`);
}
