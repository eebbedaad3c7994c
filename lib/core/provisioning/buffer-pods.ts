import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import { formatTime } from '../../apis/formats/time.ts';
import type { Container, Pod, PodSpec, PodTemplate } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { BUFFER_NAME, BUFFER_NAMESPACE, FAKE_POD } from '../cluster/buffer-pod.ts';
import type { Subject } from '../model/subject.ts';
import { bufferReplicas } from './buffer-replicas.ts';
import { type BufferWorkloads, bufferTemplate, type UnreadyBuffer } from './buffer-template.ts';

export interface BufferPods {
  readonly pods: readonly Pod[];
  /** Buffers that have no pods, or fewer than requested. */
  readonly unready: readonly UnreadyBuffer[];
}

/**
 * The virtual pods that represent the spare capacity of CapacityBuffers. They are pending in every decision and do not exist in
 * the cluster. *Shape:* in the order of the buffers; at most `MAX_PODS`, divided so that one large buffer does not use all.
 * Buffers with an unknown strategy are ignored (A5.2). All real pods are placed before them (B65).
 */
export function bufferPods(buffers: readonly CapacityBuffer[], workloads: BufferWorkloads, nowMs: number): BufferPods {
  const found = buffers.filter(isActiveBuffer).map((buffer) => sizedBuffer(buffer, workloads));
  const sized = found.flatMap((one) => (one.kind === 'sized' ? [one] : []));
  const granted = fairShares(sized);
  return {
    pods: sized.flatMap((one) => virtualPods(one, granted.get(one) ?? 0, nowMs)),
    unready: found.flatMap((one) => (one.kind === 'sized' ? whyCut(one, granted.get(one) ?? 0) : [one.unready])),
  };
}

const STRATEGY = 'buffer.x-k8s.io/active-capacity';

/** The CapacityBuffer of a pod of `bufferPods`. */
export function bufferSubject({ metadata }: Pod): Subject {
  const { annotations = {} } = metadata;
  const { [BUFFER_NAMESPACE]: namespace = '', [BUFFER_NAME]: name = '' } = annotations;
  return { kind: 'CapacityBuffer', namespace, name };
}

/** A5.2: a buffer with the strategy that Kerf supports; other controllers handle other strategies. */
export function isActiveBuffer({ spec }: CapacityBuffer): boolean {
  return spec.provisioningStrategy === STRATEGY;
}

interface SizedBuffer {
  readonly kind: 'sized';
  readonly buffer: CapacityBuffer;
  readonly template: PodTemplate;
  readonly replicas: number;
}

type FoundBuffer = SizedBuffer | { readonly kind: 'unready'; readonly unready: UnreadyBuffer };

function sizedBuffer(buffer: CapacityBuffer, workloads: BufferWorkloads): FoundBuffer {
  const found = bufferTemplate(buffer, workloads);
  if (found.kind === 'unready') return found;
  const { template } = found;
  return { kind: 'sized', buffer, template, replicas: bufferReplicas(buffer, template, found.scale) };
}

/** The maximum number of virtual pods, which limits the work of one decision. */
const MAX_PODS = 10_000;

/** Small requests are granted in full; the others share the rest evenly. */
function fairShares(buffers: readonly SizedBuffer[]): ReadonlyMap<SizedBuffer, number> {
  let left = MAX_PODS;
  return new Map(
    buffers
      .toSorted((a, b) => a.replicas - b.replicas)
      .map((buffer, index) => {
        const share = Math.min(buffer.replicas, Math.floor(left / (buffers.length - index)));
        left -= share;
        return [buffer, share];
      }),
  );
}

function whyCut({ buffer, replicas }: SizedBuffer, granted: number): readonly UnreadyBuffer[] {
  if (granted === replicas) return [];
  const message =
    `requests capacity for ${replicas} pods and gets capacity for ${granted}: the limit for all buffers together is ` +
    `${MAX_PODS}; lower replicas or percentage, or set limits`;
  return [{ buffer, reason: 'TooManyReplicas', message }];
}

/** A5.5; the pods of one buffer share their spec and labels. */
function virtualPods({ buffer, template }: SizedBuffer, count: number, nowMs: number): readonly Pod[] {
  const { name, namespace = 'default', uid = `${namespace}/${name}` } = buffer.metadata;
  const labels = template.metadata?.labels;
  const annotations = { [FAKE_POD]: 'true', [BUFFER_NAME]: name, [BUFFER_NAMESPACE]: namespace };
  const creationTimestamp = formatTime(nowMs);
  const spec = virtualSpec(template.spec);
  return Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `capacity-buffer-${name}-${index + 1}`,
      namespace,
      uid: `${uid}-${index + 1}`,
      ...optional({ labels }),
      annotations,
      creationTimestamp,
    },
    spec,
    status: UNSCHEDULABLE,
  }));
}

const UNSCHEDULABLE: NonNullable<Pod['status']> = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
};

/** The minimum int32, so that every pod has a higher priority. */
const LOWEST_PRIORITY = -(2 ** 31);

/** A virtual pod has no PersistentVolumeClaims, so the volumes of the template are removed. */
function virtualSpec(template: PodSpec): PodSpec {
  const { nodeName: _, ...spec } = template;
  const { volumes, containers, initContainers } = spec;
  const claimed = (volumes ?? []).filter(
    (one) => one.persistentVolumeClaim !== undefined || one.ephemeral !== undefined,
  );
  const names = new Set(claimed.map((one) => one.name));
  return {
    ...spec,
    priority: LOWEST_PRIORITY,
    containers: withoutMounts(containers, names),
    ...(initContainers === undefined ? {} : { initContainers: withoutMounts(initContainers, names) }),
    ...(volumes === undefined ? {} : { volumes: volumes.filter((one) => !names.has(one.name)) }),
  };
}

function withoutMounts(containers: readonly Container[], names: ReadonlySet<string>): readonly Container[] {
  return containers.map((one) =>
    one.volumeMounts === undefined
      ? one
      : { ...one, volumeMounts: one.volumeMounts.filter((mount) => !names.has(mount.name)) },
  );
}
