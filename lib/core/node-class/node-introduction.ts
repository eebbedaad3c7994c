import type { Labels, Taint } from '../../apis/kubernetes.ts';
import { DO_NOT_SYNC_TAINTS } from '../../apis/labels.ts';
import { formatTaint, sameTaint, UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { compareText } from '../compare-text.ts';
import type { TypeKubelet } from '../instance-type/instance-type.ts';
import type { ClusterBootstrap } from './cluster-bootstrap.ts';

/** What a node is told about itself before it joins. */
export interface NodeIntroduction {
  readonly bootstrap: ClusterBootstrap;
  readonly labels: Labels;
  /** Startup taints included; the taint of an unregistered node is added here. */
  readonly taints: readonly Taint[];
  /** What was worked out for its type, in the place of what the NodeClass says (A3.17). @default nothing */
  readonly kubelet?: TypeKubelet;
}

/** A6.5: with the taint that keeps pods off until the node is registered. */
export function registrationTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.some((taint) => sameTaint(taint, UNREGISTERED_TAINT)) ? taints : [...taints, UNREGISTERED_TAINT];
}

/** C74: by name; the kubelet's own taints are complete, and say so. */
export function kubeletLabels(labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries({ ...labels, [DO_NOT_SYNC_TAINTS]: 'true' })
    .filter(([key]) => mayKubeletSet(key))
    .toSorted(([a], [b]) => compareText(a, b));
}

/** As the kubelet's `--node-labels` takes them. */
export function nodeLabelsFlag(labels: Labels): string {
  return `--node-labels=${kubeletLabels(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')}`;
}

/** As the kubelet's `--register-with-taints` takes them. */
export function taintsFlag(taints: readonly Taint[]): string {
  return `--register-with-taints=${registrationTaints(taints).map(formatTaint).join(',')}`;
}

/** A kubelet does not start with a label of Kubernetes's own domains outside these two; registration adds the rest. */
function mayKubeletSet(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  if (isWithin(domain, 'node.kubernetes.io') || isWithin(domain, 'kubelet.kubernetes.io')) return true;
  return !isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io');
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
