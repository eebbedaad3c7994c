import { quote } from '../../apis/formats/quote.ts';
import type { Affinity, PodAffinity, PodSpec, Toleration, TopologySpreadConstraint } from '../../apis/kubernetes.ts';
import { FORMATS } from '../../apis/schemas/formats.ts';
import { VOLUME_SOURCES } from '../../apis/schemas/volume.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkContainers } from './check-containers.ts';
import { checkLabelSelector, checkNodeSelectorRequirements } from './check-requirements.ts';
import { hasFormat } from './format-checks.ts';

/** Checks the Kubernetes rules for pods that involve more than one field. */
export function checkPodSpec(spec: PodSpec, at: Path, report: Report): void {
  checkContainers(spec, at, report);
  checkVolumes(spec, at, report);
  for (const [index, toleration] of (spec.tolerations ?? []).entries())
    checkToleration(toleration, [...at, 'tolerations', index], report);
  checkSpread(spec.topologySpreadConstraints ?? [], [...at, 'topologySpreadConstraints'], report);
  if (spec.affinity !== undefined) checkAffinity(spec.affinity, [...at, 'affinity'], report);
}

function checkToleration(
  { key = '', operator = 'Equal', value = '', effect, tolerationSeconds }: Toleration,
  at: Path,
  report: Report,
): void {
  if (key !== '' && !hasFormat('qualified-name', key))
    report([...at, 'key'], `${quote(key)} is not allowed`, FORMATS['qualified-name'].allowed);
  if (key === '' && operator !== 'Exists')
    report(
      [...at, 'operator'],
      'a toleration without a key tolerates every taint and needs the operator Exists',
      'operator: Exists, or a key',
    );
  if (operator === 'Exists' && value !== '')
    report(
      [...at, 'value'],
      `the operator Exists takes no value, but the value is ${quote(value)}`,
      'no value, or operator: Equal',
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    report(
      [...at, 'effect'],
      'tolerationSeconds applies only to the effect NoExecute',
      'effect: NoExecute, or no tolerationSeconds',
    );
}

function checkSpread(constraints: readonly TopologySpreadConstraint[], at: Path, report: Report): void {
  const seen = new Set<string>();
  for (const [index, constraint] of constraints.entries()) {
    const { topologyKey, whenUnsatisfiable, minDomains, labelSelector, matchLabelKeys = [] } = constraint;
    const here = [...at, index];
    const name = `${topologyKey} with ${whenUnsatisfiable}`;
    if (seen.has(name)) report(here, `${name} is used twice`, 'each pair of topologyKey and whenUnsatisfiable once');
    seen.add(name);
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule')
      report(
        [...here, 'minDomains'],
        'applies only to whenUnsatisfiable: DoNotSchedule',
        'whenUnsatisfiable: DoNotSchedule, or no minDomains',
      );
    if (matchLabelKeys.length > 0 && labelSelector === undefined)
      report([...here, 'matchLabelKeys'], 'needs a labelSelector', 'a labelSelector, or no matchLabelKeys');
    checkLabelSelector(labelSelector, [...here, 'labelSelector'], report);
  }
}

function checkAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, at: Path, report: Report): void {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  for (const [index, term] of (nodeAffinity?.[required]?.nodeSelectorTerms ?? []).entries()) {
    checkNodeSelectorRequirements(
      term.matchExpressions,
      [...at, 'nodeAffinity', required, 'nodeSelectorTerms', index, 'matchExpressions'],
      report,
    );
  }
  for (const [index, { preference }] of (nodeAffinity?.[preferred] ?? []).entries()) {
    checkNodeSelectorRequirements(
      preference.matchExpressions,
      [...at, 'nodeAffinity', preferred, index, 'preference', 'matchExpressions'],
      report,
    );
  }
  checkPodAffinity(podAffinity, [...at, 'podAffinity'], report);
  checkPodAffinity(podAntiAffinity, [...at, 'podAntiAffinity'], report);
}

function checkPodAffinity(affinity: PodAffinity | undefined, at: Path, report: Report): void {
  const terms = [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term, index) => ({
      term,
      path: ['requiredDuringSchedulingIgnoredDuringExecution', index],
    })),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm: term }, index) => ({
      term,
      path: ['preferredDuringSchedulingIgnoredDuringExecution', index, 'podAffinityTerm'],
    })),
  ];
  for (const { term, path } of terms) {
    checkLabelSelector(term.labelSelector, [...at, ...path, 'labelSelector'], report);
    checkLabelSelector(term.namespaceSelector, [...at, ...path, 'namespaceSelector'], report);
  }
}

function checkVolumes({ volumes = [], containers, initContainers = [] }: PodSpec, at: Path, report: Report): void {
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const sources = Object.keys(volume).filter((field) => Object.hasOwn(VOLUME_SOURCES, field));
    if (sources.length > 1)
      report([...at, 'volumes', index], `has ${sources.length} types: ${sources.join(', ')}`, 'one of them');
    if (names.has(volume.name))
      report(
        [...at, 'volumes', index, 'name'],
        `${quote(volume.name)} is already the name of another volume`,
        'a unique name for each volume',
      );
    names.add(volume.name);
  }
  for (const [list, all] of [
    ['containers', containers],
    ['initContainers', initContainers],
  ] as const) {
    for (const [index, { volumeMounts = [] }] of all.entries()) {
      for (const [mount, { name }] of volumeMounts.entries()) {
        if (!names.has(name))
          report(
            [...at, list, index, 'volumeMounts', mount, 'name'],
            `${quote(name)} is not a volume of this pod`,
            names.size === 0 ? 'the volume in spec.volumes' : `one of ${[...names].join(', ')}`,
          );
      }
    }
  }
}
