import type { PriorityClass, VolumeClaimSpec } from '../../apis/kubernetes.ts';
import { PERSISTENT_VOLUME_SOURCES } from '../../apis/schemas/storage.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../apis/storage.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkLabelSelector, checkNodeSelectorRequirements } from './check-requirements.ts';

/** Checks the Kubernetes rules for storage kinds and PriorityClasses that involve more than one field. */

export function checkVolumeClaim({ spec }: PersistentVolumeClaim, report: Report): void {
  checkVolumeClaimSpec(spec, ['spec'], report);
}

/** Checks the spec of a claim, or of a template of one. */
export function checkVolumeClaimSpec({ accessModes = [], selector }: VolumeClaimSpec, at: Path, report: Report): void {
  checkLabelSelector(selector, [...at, 'selector'], report);
  checkAccessModes(accessModes, [...at, 'accessModes'], report);
}

export function checkPersistentVolume({ spec }: PersistentVolume, report: Report): void {
  const sources = Object.keys(spec).filter((field) => Object.hasOwn(PERSISTENT_VOLUME_SOURCES, field));
  if (sources.length !== 1)
    report(
      ['spec'],
      sources.length === 0 ? 'has no type of volume' : `has ${sources.length} types: ${sources.join(', ')}`,
      sources.length === 0 ? 'one, such as csi with driver: ebs.csi.aws.com' : 'one of them',
    );
  checkAccessModes(spec.accessModes ?? [], ['spec', 'accessModes'], report);
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (spec.local !== undefined && terms.length === 0)
    report(['spec', 'nodeAffinity'], 'is missing for a local volume', 'the node of the volume in required');
  for (const [index, { matchExpressions }] of terms.entries()) {
    const at = ['spec', 'nodeAffinity', 'required', 'nodeSelectorTerms', index, 'matchExpressions'];
    checkNodeSelectorRequirements(matchExpressions, at, report);
  }
}

function checkAccessModes(modes: readonly string[], at: Path, report: Report): void {
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    report(at, 'has ReadWriteOncePod and other modes', 'ReadWriteOncePod alone, or the other modes');
}

/** The classes that every cluster has; no other class may begin with `system-`. */
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);
const HIGHEST_PRIORITY = 1_000_000_000;

export function checkPriorityClass({ metadata, value = 0 }: PriorityClass, report: Report): void {
  const { name } = metadata;
  const system = SYSTEM_CLASSES.get(name);
  if (system === undefined && name.startsWith('system-'))
    report(['metadata', 'name'], 'begins with system-, which is reserved for Kubernetes', 'another name');
  else if (system !== undefined && value !== system)
    report(['value'], `${value} cannot be the value of ${name}`, String(system));
  else if (system === undefined && value > HIGHEST_PRIORITY)
    report(['value'], `${value} is too large`, `at most ${HIGHEST_PRIORITY}`);
}
