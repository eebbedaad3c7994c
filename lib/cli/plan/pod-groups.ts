import type { Pod } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import { withoutDefault } from '../render/pod-names.ts';

/** `web ×12, shop/api and 3 more`: the workloads of pods, the largest first. */
export function podSummary(pods: readonly Pod[], max: number): string {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const name = workloadName(pod);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([a, few], [b, many]) => many - few || compareText(a, b));
  const shown = sorted.slice(0, max).map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  const rest = sorted.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`;
}

/** The name of the owner if the name of the pod begins with it, or else the name of the pod without its number. */
function workloadName(pod: Pod): string {
  const { name, namespace = 'default', labels, ownerReferences } = pod.metadata;
  const owner = ownerReferences?.find(({ controller }) => controller === true) ?? ownerReferences?.[0];
  if (owner === undefined || !name.startsWith(`${owner.name}-`))
    return withoutDefault(`${namespace}/${name.replace(/-\d+$/, '')}`);
  const hash = labels?.['pod-template-hash'] ?? /-([a-z0-9]{8,10})$/.exec(owner.name)?.[1];
  const isRevision = owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`);
  return withoutDefault(`${namespace}/${isRevision ? owner.name.slice(0, -hash.length - 1) : owner.name}`);
}
