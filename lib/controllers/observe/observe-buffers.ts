import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { ScalableWorkload } from '../../apis/kubernetes.ts';
import { type BufferPods, bufferPods, isActiveBuffer } from '../../core/provisioning/buffer-pods.ts';
import type { ScalableKind } from '../../ports/cluster.ts';
import type { HasSettings, ReadsCluster } from '../run/ports.ts';

/** The pods of active CapacityBuffers. *Cost:* reads only the kinds that a buffer refers to. */
export async function observeBuffers(
  { cluster, settings }: ReadsCluster & HasSettings,
  nowMs: number,
): Promise<BufferPods> {
  if (!settings.featureGates.capacityBuffer) return { pods: [], unready: [] };
  const buffers = (await cluster.listCapacityBuffers()).filter(isActiveBuffer);
  const scaled = async (kind: ScalableKind): Promise<readonly ScalableWorkload[]> =>
    buffers.some((one) => refersTo(one, kind)) ? cluster.listScalableWorkloads(kind) : [];
  const [podTemplates, deployments, statefulSets, replicaSets] = await Promise.all([
    buffers.some(({ spec }) => spec.podTemplateRef !== undefined) ? cluster.listPodTemplates() : [],
    scaled('Deployment'),
    scaled('StatefulSet'),
    scaled('ReplicaSet'),
  ]);
  return bufferPods(buffers, { podTemplates, deployments, statefulSets, replicaSets }, nowMs);
}

function refersTo({ spec }: CapacityBuffer, kind: ScalableKind): boolean {
  return spec.podTemplateRef === undefined && spec.scalableRef?.kind === kind;
}
