import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import { quote } from '../../apis/formats/quote.ts';
import {
  type NamedPodTemplate,
  namespaceOf,
  type ObjectMeta,
  type PodTemplate,
  type ScalableWorkload,
} from '../../apis/kubernetes.ts';
import { amountProblems } from '../validation/decoding.ts';

/** The objects that buffers can refer to. */
export interface BufferWorkloads {
  readonly podTemplates: readonly NamedPodTemplate[];
  readonly deployments: readonly ScalableWorkload[];
  readonly statefulSets: readonly ScalableWorkload[];
  readonly replicaSets: readonly ScalableWorkload[];
}

export interface UnreadyBuffer {
  readonly buffer: CapacityBuffer;
  /** A5.7: the reason of the ReadyForProvisioning condition. Only Kerf has `TooManyReplicas`. */
  readonly reason: 'PodTemplateNotFound' | 'ScalableRefNotFound' | 'ResolutionFailed' | 'TooManyReplicas';
  readonly message: string;
}

export type BufferTemplate =
  /** `scale`: the replicas of the workload; undefined for a PodTemplate. */
  | { readonly kind: 'found'; readonly template: PodTemplate; readonly scale?: number }
  | { readonly kind: 'unready'; readonly unready: UnreadyBuffer };

/** The pod template of a buffer (A5.2, A5.4). */
export function bufferTemplate(buffer: CapacityBuffer, workloads: BufferWorkloads): BufferTemplate {
  const { podTemplateRef, scalableRef, limits } = buffer.spec;
  const [problem] = amountProblems(limits, ['spec', 'limits']);
  if (problem !== undefined)
    return unready(
      buffer,
      'ResolutionFailed',
      `${problem.path.join('.')} ${problem.message}: write ${problem.allowed}`,
    );
  if (podTemplateRef !== undefined) return ofPodTemplate(buffer, podTemplateRef.name, workloads);
  if (scalableRef !== undefined) return ofWorkload(buffer, scalableRef, workloads);
  return unready(buffer, 'ResolutionFailed', 'spec has neither podTemplateRef nor scalableRef: write one of them');
}

function ofPodTemplate(buffer: CapacityBuffer, name: string, workloads: BufferWorkloads): BufferTemplate {
  const found = workloads.podTemplates.find(isNamed(buffer, name));
  if (found !== undefined) return { kind: 'found', template: found.template };
  return unready(buffer, 'PodTemplateNotFound', missing('PodTemplate', buffer, name));
}

type ScalableRef = NonNullable<CapacityBuffer['spec']['scalableRef']>;

function ofWorkload(buffer: CapacityBuffer, ref: ScalableRef, workloads: BufferWorkloads): BufferTemplate {
  const { apiGroup = '', kind, name } = ref;
  const known = new Map([
    ['Deployment', workloads.deployments],
    ['StatefulSet', workloads.statefulSets],
    ['ReplicaSet', workloads.replicaSets],
  ]);
  const candidates = apiGroup === '' || apiGroup === 'apps' ? known.get(kind) : undefined;
  if (candidates === undefined) {
    const written = apiGroup === '' ? kind : `${apiGroup}/${kind}`;
    const message = `the kind ${quote(written)} of spec.scalableRef is not supported: write one of ${[...known.keys()].join(', ')} in API group apps`;
    return unready(buffer, 'ResolutionFailed', message);
  }
  const found = candidates.find(isNamed(buffer, name));
  if (found === undefined) return unready(buffer, 'ScalableRefNotFound', missing(kind, buffer, name));
  return { kind: 'found', template: found.spec.template, scale: found.spec.replicas ?? 1 };
}

function isNamed(buffer: CapacityBuffer, name: string): (object: { readonly metadata: ObjectMeta }) => boolean {
  const namespace = namespaceOf(buffer);
  return (object) => object.metadata.name === name && namespaceOf(object) === namespace;
}

function missing(kind: string, buffer: CapacityBuffer, name: string): string {
  return `${kind} ${quote(name)} does not exist in namespace ${namespaceOf(buffer)}: create it, or correct the reference`;
}

function unready(buffer: CapacityBuffer, reason: UnreadyBuffer['reason'], message: string): BufferTemplate {
  return { kind: 'unready', unready: { buffer, reason, message } };
}
