import type { CapacityBuffer } from '../../lib/apis/capacity-buffer.ts';
import type { NamedPodTemplate, Pod, ResourceList } from '../../lib/apis/kubernetes.ts';
import { bufferPods } from '../../lib/core/provisioning/buffer-pods.ts';
import { NOW_MS } from './times.ts';

/** A buffer `spare` with room for three pods of the PodTemplate `small`. */
export function aCapacityBuffer(spec: Partial<CapacityBuffer['spec']> = {}, name = 'spare'): CapacityBuffer {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name, namespace: 'default' },
    spec: {
      provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
      podTemplateRef: { name: 'small' },
      replicas: 3,
      ...spec,
    },
  };
}

/** The PodTemplate `small`. */
export function aPodTemplate(requests: ResourceList = { cpu: '1' }): NamedPodTemplate {
  return {
    metadata: { name: 'small', namespace: 'default' },
    template: { spec: { containers: [{ name: 'main', resources: { requests } }] } },
  };
}

/** The pods `capacity-buffer-spare-1`, `-2`, … */
export function someBufferPods(replicas: number, requests?: ResourceList): readonly Pod[] {
  const workloads = { podTemplates: [aPodTemplate(requests)], deployments: [], statefulSets: [], replicaSets: [] };
  return bufferPods([aCapacityBuffer({ replicas })], workloads, NOW_MS).pods;
}
