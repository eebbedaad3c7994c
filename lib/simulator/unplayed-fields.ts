import type { ClusterManifests } from '../apis/cluster-manifests.ts';
import { namespaceOf, type ObjectMeta, type PodSpec } from '../apis/kubernetes.ts';
import { ownField } from '../apis/record.ts';
import type { JobSpec } from '../apis/workloads.ts';

/** A field of an object that the simulation ignores. */
export interface UnplayedField {
  /** `Job default/report`. */
  readonly subject: string;
  readonly text: string;
}

const OF_JOBS = ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'];
const DEFAULT_SCHEDULER = 'default-scheduler';

interface Workload {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly pod: PodSpec;
  readonly job?: JobSpec;
  readonly spec?: unknown;
}

/** The fields of the workloads that change what happens on a real cluster, and not in the simulation. */
export function unplayedFields(manifests: ClusterManifests): readonly UnplayedField[] {
  return [...workloadsOf(manifests).flatMap(ofWorkload), ...sharedTargets(manifests)];
}

function workloadsOf(manifests: ClusterManifests): readonly Workload[] {
  const { deployments, replicaSets, statefulSets, daemonSets, jobs, cronJobs, pods } = manifests;
  return [
    ...templated('Deployment', deployments),
    ...templated('ReplicaSet', replicaSets),
    ...templated('StatefulSet', statefulSets),
    ...templated('DaemonSet', daemonSets),
    ...jobs.map(({ metadata, spec }) => ({ kind: 'Job', metadata, pod: spec.template.spec, job: spec })),
    ...cronJobs.map(({ metadata, spec: { jobTemplate } }) => {
      const { spec: job } = jobTemplate;
      return { kind: 'CronJob', metadata, pod: job.template.spec, job };
    }),
    ...pods.map(({ metadata, spec: pod }) => ({ kind: 'Pod', metadata, pod })),
  ];
}

function templated(
  kind: string,
  all: readonly { readonly metadata: ObjectMeta; readonly spec: { readonly template: { readonly spec: PodSpec } } }[],
): readonly Workload[] {
  return all.map(({ metadata, spec }) => ({ kind, metadata, pod: spec.template.spec, spec }));
}

function ofWorkload({ kind, metadata, pod, job, spec }: Workload): readonly UnplayedField[] {
  const subject = `${kind} ${namespaceOf({ metadata })}/${metadata.name}`;
  const scheduler = ownField(pod, 'schedulerName') ?? DEFAULT_SCHEDULER;
  const fields = [
    ...OF_JOBS.filter((field) => ownField(job, field) !== undefined),
    ...(ownField(pod, 'activeDeadlineSeconds') === undefined ? [] : ['activeDeadlineSeconds of pods']),
    ...(ownField(ownField(spec, 'persistentVolumeClaimRetentionPolicy'), 'whenScaled') === 'Delete'
      ? ['persistentVolumeClaimRetentionPolicy']
      : []),
  ];
  return [
    ...fields.map((field) => ({ subject, text: `its ${field} is not simulated` })),
    ...(scheduler === DEFAULT_SCHEDULER
      ? []
      : [{ subject, text: `its schedulerName is not simulated: ${DEFAULT_SCHEDULER} binds its pods` }]),
  ];
}

/** Kubernetes scales no workload that two HorizontalPodAutoscalers select. */
function sharedTargets({ horizontalPodAutoscalers }: ClusterManifests): readonly UnplayedField[] {
  const byTarget = Map.groupBy(horizontalPodAutoscalers, (one) => {
    const { kind, name } = one.spec.scaleTargetRef;
    return `${kind} ${namespaceOf(one)}/${name}`;
  });
  return [...byTarget].flatMap(([subject, { length }]) =>
    length < 2
      ? []
      : [
          {
            subject,
            text: `${length} HorizontalPodAutoscalers scale it: as in Kubernetes (AmbiguousSelector), none changes it by its usage`,
          },
        ],
  );
}
