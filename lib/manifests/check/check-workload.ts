import { quote } from '../../apis/formats/quote.ts';
import {
  type DaemonSet,
  type Deployment,
  type LabelSelector,
  type NamedPodTemplate,
  type Pod,
  type PodDisruptionBudget,
  selectorMatches,
} from '../../apis/kubernetes.ts';
import { isRecord } from '../../apis/record.ts';
import { type StatefulSet, templateOf } from '../../apis/workloads.ts';
import type { Report } from '../explain/problem.ts';
import { checkPodSpec } from './check-pod-spec.ts';
import { checkLabelSelector } from './check-requirements.ts';
import { checkVolumeClaimSpec } from './check-storage.ts';

export function checkPod({ spec }: Pod, report: Report): void {
  checkPodSpec(spec, ['spec'], report);
}

export function checkPodTemplate({ template }: NamedPodTemplate, report: Report): void {
  checkPodSpec(template.spec, ['template', 'spec'], report);
}

/** Checks the Kubernetes rules for workloads that create pods from a template. */
export function checkWorkload({ spec }: Deployment | DaemonSet, report: Report): void {
  const { selector, template } = spec;
  checkLabelSelector(selector, ['spec', 'selector'], report);
  if (selectsAll(selector))
    report(['spec', 'selector'], 'selects every pod', 'matchLabels with the labels of the template');
  else if (!selectorMatches(selector, template.metadata?.labels)) {
    const labels = Object.entries(template.metadata?.labels ?? {}).map(([key, value]) => `${key}: ${value}`);
    report(
      ['spec', 'selector'],
      'does not match the labels of the template',
      labels.length === 0
        ? 'the same labels in spec.template.metadata.labels'
        : `matchLabels that the template has: ${labels.join(', ')}`,
    );
  }
  const { restartPolicy } = template.spec;
  if (restartPolicy !== undefined && restartPolicy !== 'Always') {
    report(
      ['spec', 'template', 'spec', 'restartPolicy'],
      `${quote(restartPolicy)} is not allowed in a template`,
      'Always',
    );
  }
  checkStrategy(spec, report);
  checkPodSpec(template.spec, ['spec', 'template', 'spec'], report);
}

export function checkStatefulSet(set: StatefulSet, report: Report): void {
  const { name } = set.metadata;
  checkWorkload({ ...set, spec: { ...set.spec, template: templateOf(set.spec, `${name}-0`) } }, report);
  for (const [index, { spec }] of (set.spec.volumeClaimTemplates ?? []).entries())
    checkVolumeClaimSpec(spec, ['spec', 'volumeClaimTemplates', index, 'spec'], report);
}

export function checkPodDisruptionBudget({ spec }: PodDisruptionBudget, report: Report): void {
  checkLabelSelector(spec.selector, ['spec', 'selector'], report);
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined)
    report(
      ['spec', 'maxUnavailable'],
      'cannot be set together with minAvailable',
      'one of minAvailable and maxUnavailable',
    );
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[field];
    if (typeof value === 'string' && Number.parseInt(value, 10) > 100)
      report(['spec', field], `${quote(value)} is more than 100%`, 'at most 100%');
  }
}

/** The strategy does not influence any decision, so it has no type of its own. */
function checkStrategy(spec: Readonly<Record<string, unknown>>, report: Report): void {
  for (const field of ['strategy', 'updateStrategy']) {
    const strategy = spec[field];
    if (!isRecord(strategy) || !isRecord(strategy['rollingUpdate'])) continue;
    const { maxSurge, maxUnavailable } = strategy['rollingUpdate'];
    const at = ['spec', field, 'rollingUpdate'];
    if (strategy['type'] === 'Recreate' || strategy['type'] === 'OnDelete')
      report(at, `cannot be set together with type: ${strategy['type']}`, 'type: RollingUpdate, or no rollingUpdate');
    else if (isZero(maxSurge) && isZero(maxUnavailable))
      report(
        at,
        'has maxSurge and maxUnavailable of zero, so no pod can be replaced',
        'a maxSurge or maxUnavailable above 0',
      );
  }
}

function isZero(amount: unknown): boolean {
  return amount === 0 || amount === '0%';
}

function selectsAll({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
