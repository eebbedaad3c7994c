import type { NodeSelectorTerm } from '../../../apis/kubernetes.ts';
import { currentLabelName, HOSTNAME, REGION, ZONE } from '../../../apis/labels.ts';
import type { NodePoolRequirement } from '../../../apis/node-pool.ts';
import type { PersistentVolume, StorageClass } from '../../../apis/storage.ts';
import { merge, NO_REQUIREMENTS, requirementsFrom } from '../../requirements/requirements.ts';
import type { Alternatives } from './requirement-alternatives.ts';

const ANYWHERE: Alternatives = [NO_REQUIREMENTS];

/**
 * B42: the requirements of an existing volume: one alternative for each term of its node affinity.
 * As in Kubernetes, an empty term selects no nodes. A term that selects nodes by field does not select new nodes.
 */
export function placesOfVolume({ metadata, spec }: PersistentVolume): Alternatives {
  const required = spec.nodeAffinity?.required;
  // A volume on the node's own disk moves with the pod to another node. Karpenter also ignores the hostname of the old node.
  const movable = spec.local !== undefined || spec.hostPath !== undefined;
  const places =
    required === undefined ? ANYWHERE : required.nodeSelectorTerms.flatMap((term) => placesOfTerm(term, movable));
  const labelled = requirementsFrom(zonesOfLabels(metadata.labels));
  return places.map((place) => merge(place, labelled));
}

function placesOfTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, movable: boolean): Alternatives {
  if (matchExpressions.length === 0 || matchFields.length > 0) return [];
  return [requirementsFrom(movable ? matchExpressions.filter(({ key }) => key !== HOSTNAME) : matchExpressions)];
}

/** The kube-scheduler uses these labels of a volume. Several zones are separated by two underscores. */
function zonesOfLabels(labels: PersistentVolume['metadata']['labels'] = {}): readonly NodePoolRequirement[] {
  return Object.entries(labels)
    .filter(([key]) => [ZONE, REGION].includes(currentLabelName(key)))
    .map(([key, value]) => ({ key, operator: 'In', values: value.split('__') }));
}

/** B42: the requirements of a new volume of the class: one alternative for each of its allowed topologies. */
export function placesOfClass({ allowedTopologies = [] }: StorageClass): Alternatives {
  if (allowedTopologies.length === 0) return ANYWHERE;
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.length === 0
      ? []
      : [requirementsFrom(matchLabelExpressions.map(({ key, values = [] }) => ({ key, operator: 'In', values })))],
  );
}
