import type { Labels, Taint } from '../../../apis/kubernetes.ts';
import { DO_NOT_SYNC_TAINTS } from '../../../apis/labels.ts';
import { formatTaint, sameTaint, UNREGISTERED_TAINT } from '../../../apis/taints.ts';
import { compareText } from '../../compare-text.ts';
import type { ClusterBootstrap } from '../../model/cluster-bootstrap.ts';
import type { TypeKubelet } from '../../model/instance-type.ts';

/** The parameters of a node in its user data. */
export interface NodeParameters {
  readonly bootstrap: ClusterBootstrap;
  readonly labels: Labels;
  /** Includes startup taints. The taint of an unregistered node is added later. */
  readonly taints: readonly Taint[];
  /** The values of kubelet expressions for its type (A3.17). @default none */
  readonly kubelet?: TypeKubelet;
}

/** A6.5: adds the taint that excludes pods until the node is registered. */
export function registrationTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.some((taint) => sameTaint(taint, UNREGISTERED_TAINT)) ? taints : [...taints, UNREGISTERED_TAINT];
}

/** C74: the labels that the kubelet may set, ordered by name, and a label that the taints are complete. */
export function kubeletLabels(labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries({ ...labels, [DO_NOT_SYNC_TAINTS]: 'true' })
    .filter(([key]) => mayKubeletSet(key))
    .toSorted(([a], [b]) => compareText(a, b));
}

/** The kubelet flag `--node-labels`. */
export function nodeLabelsFlag(labels: Labels): string {
  return `--node-labels=${kubeletLabels(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')}`;
}

/** The kubelet flag `--register-with-taints`. */
export function taintsFlag(taints: readonly Taint[]): string {
  return `--register-with-taints=${registrationTaints(taints).map(formatTaint).join(',')}`;
}

/** A kubelet may set labels of the Kubernetes domains only in these two subdomains. Registration adds the other labels. */
function mayKubeletSet(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  if (isWithin(domain, 'node.kubernetes.io') || isWithin(domain, 'kubelet.kubernetes.io')) return true;
  return !isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io');
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
