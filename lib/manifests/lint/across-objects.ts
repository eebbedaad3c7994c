import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { type Labels, type NodeSelectorTerm, type PodSpec, selectorMatches } from '../../apis/kubernetes.ts';
import { NODE_POOL, WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import {
  formatRequirement,
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
  whyIncompatible,
} from '../../core/requirements/requirements.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import type { ReadObject } from '../read/read-object.ts';
import { reservationAdvice } from './reservations.ts';
import type { KnownFigures } from './values/known-figures.ts';
import { listNames } from './values/words.ts';

/** The pods of a workload of the files. */
interface Pods {
  readonly namespace: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
  /** The field of the workload that holds their metadata and spec. */
  readonly base: FieldProblem['path'];
}

interface Files {
  readonly pods: readonly Pods[];
  readonly nodePools: readonly NodePool[];
}

/**
 * Returns warnings that need other objects of the files: references that lead nowhere, and reservations that are larger than the types of
 * the NodePools. Objects outside the files are unknown.
 */
export function acrossObjects(
  all: readonly ReadObject[],
  figures: () => KnownFigures,
): (object: ReadObject) => readonly FieldProblem[] {
  const files: Files = {
    pods: all.flatMap((read) => podsOf(read) ?? []),
    nodePools: all.flatMap((read) => (read.kind === 'NodePool' ? [read.object] : [])),
  };
  return (read) => {
    if (read.kind === 'PodDisruptionBudget') return budgetWithoutPods(read, files);
    if (read.kind === 'EC2NodeClass') return reservationAdvice(read.object, poolsOf(read.object, files), figures);
    const pods = podsOf(read);
    if (pods === undefined) return [];
    // A DaemonSet for nodes that are not there is usual: its pods run when there are some.
    const nodes = read.kind === 'DaemonSet' ? [] : noNodePool(pods, files);
    return [...spreadOfOthers(pods), ...affinityToNone(pods, files), ...nodes];
  };
}

function poolsOf({ metadata }: EC2NodeClass, { nodePools }: Files): readonly NodePool[] {
  return nodePools.filter(({ spec }) => spec.template.spec.nodeClassRef.name === metadata.name);
}

function podsOf(read: ReadObject): Pods | undefined {
  switch (read.kind) {
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'Job': {
      const { metadata, spec } = read.object;
      return template(metadata.namespace, spec.template, ['spec', 'template']);
    }
    case 'CronJob': {
      const { metadata, spec } = read.object;
      return template(metadata.namespace, spec.jobTemplate.spec.template, ['spec', 'jobTemplate', 'spec', 'template']);
    }
    case 'Pod':
      return template(read.object.metadata.namespace, read.object, []);
    case 'NodePool':
    case 'NodeClaim':
    case 'NodeOverlay':
    case 'EC2NodeClass':
    case 'CapacityBuffer':
    case 'PodDisruptionBudget':
    case 'HorizontalPodAutoscaler':
    case 'PodTemplate':
    case 'PersistentVolume':
    case 'PersistentVolumeClaim':
    case 'StorageClass':
    case 'PriorityClass':
    case 'LimitRange':
    case 'RuntimeClass':
    case 'Namespace':
    case 'Scenario':
      return undefined;
  }
}

function template(
  namespace: string | undefined,
  { metadata, spec }: { readonly metadata?: { readonly labels?: Labels }; readonly spec: PodSpec },
  base: FieldProblem['path'],
): Pods {
  return { namespace: namespace ?? 'default', labels: metadata?.labels ?? {}, spec, base };
}

function budgetWithoutPods(
  { object: { metadata, spec } }: ReadObject & { readonly kind: 'PodDisruptionBudget' },
  { pods }: Files,
): readonly FieldProblem[] {
  const namespace = metadata.namespace ?? 'default';
  const near = pods.filter((one) => one.namespace === namespace);
  if (spec.selector === undefined || near.length === 0) return [];
  if (near.some(({ labels }) => selectorMatches(spec.selector, labels))) return [];
  const message = `selects no pod of the workloads of namespace ${namespace} in these files, so it protects none of them`;
  return [{ path: ['spec', 'selector'], message, allowed: 'the labels of a pod template' }];
}

/** A constraint counts the pods that its selector selects. If these are others, the pods of the workload are not spread. */
function spreadOfOthers({ spec, labels, base }: Pods): readonly FieldProblem[] {
  return (spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector }, index) => {
    if (selectorMatches(labelSelector, labels)) return [];
    const path = [...base, 'spec', 'topologySpreadConstraints', index];
    const allowed = 'the labels of this pod template';
    return labelSelector === undefined
      ? [
          {
            path,
            message: 'has no labelSelector, so it selects no pods and spreads nothing',
            allowed: `labelSelector with ${allowed}`,
          },
        ]
      : [
          {
            path: [...path, 'labelSelector'],
            message: 'does not select the pods that have it, so they are not spread',
            allowed,
          },
        ];
  });
}

function affinityToNone({ spec, namespace, base }: Pods, { pods }: Files): readonly FieldProblem[] {
  const terms = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.flatMap(({ labelSelector, namespaces = [], namespaceSelector }, index) => {
    if (namespaceSelector !== undefined || namespaces.length > 0) return [];
    const near = pods.filter((one) => one.namespace === namespace);
    if (near.some(({ labels }) => selectorMatches(labelSelector, labels))) return [];
    const field = ['affinity', 'podAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', index, 'labelSelector'];
    const message = `selects no pod of namespace ${namespace} in these files, so the pods wait for such a pod`;
    return [{ path: [...base, 'spec', ...field], message, allowed: 'the labels of a pod template' }];
  });
}

/** Warns of pods that no NodePool of the files allows. Labels of the user's own may be those of other nodes. */
function noNodePool({ spec, base }: Pods, { nodePools }: Files): readonly FieldProblem[] {
  const { nodeSelector = {}, affinity } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const alternatives = (required ?? [{}]).map((term) => asked(nodeSelector, term));
  const offered = nodePools.map(offeredBy);
  const isKnown = (key: string): boolean => WELL_KNOWN_LABELS.has(key) || offered.some((one) => one.has(key));
  if (offered.length === 0 || alternatives.some((one) => one.size === 0 || ![...one.keys()].every(isKnown))) return [];
  if (alternatives.some((want) => offered.some((have) => whyIncompatible(have, want) === undefined))) return [];
  const wanted = alternatives.map((one) =>
    [...one].map(([key, want]) => `${key} ${formatRequirement(want)}`).join(' and '),
  );
  const names = listNames(nodePools.map(({ metadata }) => metadata.name));
  const field = Object.keys(nodeSelector).length > 0 ? ['nodeSelector'] : ['affinity', 'nodeAffinity'];
  const message = `asks for nodes with ${wanted.join(', or ')}, which no NodePool of these files allows (${names})`;
  return [
    { path: [...base, 'spec', ...field], message, allowed: 'labels that a NodePool allows, or change a NodePool' },
  ];
}

function asked(nodeSelector: Labels, { matchExpressions = [] }: NodeSelectorTerm): Requirements {
  return merge(requirementsFromLabels(nodeSelector), requirementsFrom(matchExpressions));
}

function offeredBy({
  metadata,
  spec: {
    template: { metadata: own, spec },
  },
}: NodePool): Requirements {
  const labels = { ...own?.labels, [NODE_POOL]: metadata.name };
  return merge(requirementsFrom(spec.requirements), requirementsFromLabels(labels));
}
