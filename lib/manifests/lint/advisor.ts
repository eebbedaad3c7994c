import type { LabelSelector, PodTemplate } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import type { ReadObject } from '../read/read-object.ts';
import { capacityBufferAdvice } from './capacity-buffer.ts';
import { nodeClassAdvice } from './node-class.ts';
import { nodeOverlayAdvice } from './node-overlay.ts';
import { nodePoolAdvice } from './node-pool.ts';
import { podDisruptionBudgetAdvice, type Workload } from './pod-disruption-budget.ts';
import type { KnownFigures } from './values/known-figures.ts';

/** Returns warnings for settings that are valid but probably unintended. */
export type Advisor = (object: ReadObject) => readonly FieldProblem[];

/** Creates an advisor with the data on EC2 and, for budgets, all objects of the files. */
export function advisor(objects: readonly unknown[], figures: () => KnownFigures): Advisor {
  const workloads = workloadsIn(objects);
  return (read) => {
    switch (read.kind) {
      case 'NodePool':
        return nodePoolAdvice(read.object, figures());
      case 'NodeOverlay':
        return nodeOverlayAdvice(read.object, figures());
      case 'EC2NodeClass':
        return nodeClassAdvice(read.object);
      case 'CapacityBuffer':
        return capacityBufferAdvice(read.object);
      case 'PodDisruptionBudget':
        return podDisruptionBudgetAdvice(read.object, workloads);
      case 'NodeClaim':
      case 'Deployment':
      case 'DaemonSet':
      case 'ReplicaSet':
      case 'StatefulSet':
      case 'Job':
      case 'CronJob':
      case 'HorizontalPodAutoscaler':
      case 'Pod':
      case 'PodTemplate':
      case 'PersistentVolume':
      case 'PersistentVolumeClaim':
      case 'StorageClass':
      case 'PriorityClass':
      case 'LimitRange':
      case 'RuntimeClass':
      case 'Namespace':
      case 'Scenario':
        return [];
    }
  };
}

const REPLICATED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);

/** The workloads with replicas. The number of replicas is unknown where an autoscaler targets the workload. */
function workloadsIn(objects: readonly unknown[]): readonly Workload[] {
  const autoscaled = new Set(objects.flatMap(scaleTargetOf));
  return objects.flatMap((object) => {
    const workload = workloadOf(object);
    if (workload === undefined) return [];
    const { kind, metadata } = workload;
    return [{ ...workload, autoscaled: autoscaled.has(`${metadata.namespace ?? 'default'}/${kind}/${metadata.name}`) }];
  });
}

function scaleTargetOf(object: unknown): readonly string[] {
  const target = isRecord(object) ? field(field(object, 'spec'), 'scaleTargetRef') : undefined;
  const name = textField(target, 'name');
  if (name === undefined) return [];
  const namespace = textField(field(object, 'metadata'), 'namespace') ?? 'default';
  return [`${namespace}/${textField(target, 'kind') ?? 'Deployment'}/${name}`];
}

function workloadOf(object: unknown): Workload | undefined {
  const kind = textField(object, 'kind') ?? '';
  const [metadata, spec] = [field(object, 'metadata'), field(object, 'spec')];
  const name = textField(metadata, 'name');
  if (!REPLICATED.has(kind) || name === undefined || spec === undefined) return undefined;
  const selector: LabelSelector = { matchLabels: textsOf(field(field(spec, 'selector'), 'matchLabels')) };
  // The API server rejects a template that its workload does not select, so the template has the selected labels.
  const labels = { ...selector.matchLabels, ...textsOf(field(field(field(spec, 'template'), 'metadata'), 'labels')) };
  const template: PodTemplate = { metadata: { labels }, spec: { containers: [] } };
  const { replicas } = spec;
  const namespace = textField(metadata, 'namespace');
  return {
    kind,
    metadata: { name, ...optional({ namespace }) },
    spec: { ...(typeof replicas === 'number' && { replicas }), selector, template },
  };
}

function field(value: unknown, name: string): UnknownRecord | undefined {
  const found = ownField(value, name);
  return isRecord(found) ? found : undefined;
}

function textsOf(map: UnknownRecord | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(map ?? {}).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
  );
}
