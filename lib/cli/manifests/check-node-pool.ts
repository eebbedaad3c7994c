import type { Taint } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { formatTaint } from '../../apis/taints.ts';
import { checkNodePoolRequirements, checkRestrictedLabel } from './check-requirements.ts';
import { formatPath, type Path, quote, type Report } from './problem.ts';

const TEMPLATE: Path = ['spec', 'template'];

/** The rules for a NodePool that look at more than one field (A1.3 to A1.21). */
export function checkNodePool({ spec }: NodePool, report: Report): void {
  const { nodeClassRef, requirements, taints = [], startupTaints = [] } = spec.template.spec;
  for (const key of Object.keys(spec.template.metadata?.labels ?? {})) {
    checkRestrictedLabel(key, [...TEMPLATE, 'metadata', 'labels', key], report);
  }
  checkNodePoolRequirements(requirements, [...TEMPLATE, 'spec', 'requirements'], report);
  checkTaints({ taints, startupTaints }, report);
  const ref = [...TEMPLATE, 'spec', 'nodeClassRef'];
  if (nodeClassRef.group !== 'karpenter.k8s.aws')
    report([...ref, 'group'], `${quote(nodeClassRef.group)} is not a group that Kerf reads`, 'karpenter.k8s.aws');
  if (nodeClassRef.kind !== 'EC2NodeClass')
    report([...ref, 'kind'], `${quote(nodeClassRef.kind)} is not a kind that Kerf reads`, 'EC2NodeClass');
  checkBudgets(spec.disruption?.budgets ?? [], report);
  if (spec.replicas !== undefined) checkStatic(spec, report);
}

/** A1.7: one key and effect, one taint, across both lists. */
function checkTaints(lists: Readonly<Record<'taints' | 'startupTaints', readonly Taint[]>>, report: Report): void {
  const first = new Map<string, Path>();
  for (const list of ['taints', 'startupTaints'] as const) {
    for (const [index, taint] of lists[list].entries()) {
      const at = [...TEMPLATE, 'spec', list, index];
      const name = formatTaint({ key: taint.key, effect: taint.effect });
      const before = first.get(name);
      if (before !== undefined)
        report(at, `the taint ${name} is at ${formatPath(before)} already`, 'each key and effect once');
      first.set(name, before ?? at);
    }
  }
}

/** A1.14 */
function checkBudgets(
  budgets: readonly { readonly schedule?: string; readonly duration?: string }[],
  report: Report,
): void {
  for (const [index, { schedule, duration }] of budgets.entries()) {
    const at = ['spec', 'disruption', 'budgets', index];
    if (schedule !== undefined && duration === undefined)
      report(
        [...at, 'duration'],
        'is missing, and schedule is there',
        'how long the window stays open, such as 8h, or no schedule',
      );
    if (schedule === undefined && duration !== undefined)
      report(
        [...at, 'schedule'],
        'is missing, and duration is there',
        'when the window opens, such as "0 9 * * mon-fri", or no duration',
      );
  }
}

/** A1.21: a pool of fixed size. */
function checkStatic({ limits = {}, weight }: NodePool['spec'], report: Report): void {
  if (weight !== undefined)
    report(['spec', 'weight'], 'has no meaning in a NodePool with replicas', 'replicas or weight, not both');
  for (const name of Object.keys(limits).filter((resource) => resource !== 'nodes')) {
    report(['spec', 'limits', name], 'has no meaning in a NodePool with replicas', 'limits.nodes only');
  }
}
