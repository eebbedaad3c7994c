import type { PodTemplate } from '../../apis/kubernetes.ts';
import { SIMULATED_DURATION } from '../../apis/workloads.ts';
import type { KubernetesState } from '../kubernetes/state.ts';
import { controllerReference } from '../kubernetes/workloads/controller-pods.ts';
import { addJob } from '../kubernetes/workloads/jobs.ts';

/** The pods of a load or of a trace: each one is a Job, so that an evicted pod comes back. Nothing of it stays when it has finished. */
export interface LoadJobs {
  add(template: PodTemplate, lifetimeMs: number): void;
  /** The pods that have not finished. */
  running(): number;
}

export function loadJobs(
  state: KubernetesState,
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
): LoadJobs {
  const own = new Set<string>();
  const owner = controllerReference('kerf.dev/v1alpha1', kind, { name, uid: `${kind}/${namespace}/${name}` });
  let count = 0;
  return {
    add({ metadata, spec }, lifetimeMs) {
      count += 1;
      const job = `${name}-${count}`;
      const annotations = {
        ...metadata?.annotations,
        [SIMULATED_DURATION]: `${Math.max(1, Math.round(lifetimeMs))}ms`,
      };
      own.add(`${namespace}/${job}`);
      addJob(state, {
        metadata: { name: job, namespace, ownerReferences: [owner] },
        spec: {
          ttlSecondsAfterFinished: 0,
          // Evictions do not make it fail.
          podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
          template: { metadata: { ...metadata, annotations }, spec },
        },
      });
    },
    running() {
      for (const key of own) if (!state.jobs.has(key)) own.delete(key);
      return own.size;
    },
  };
}
