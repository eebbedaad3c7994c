import { controllerOf, type PodTemplate } from '../../apis/kubernetes.ts';
import { SIMULATED_DURATION } from '../../apis/workloads.ts';
import type { Names } from '../check/check-reference.ts';
import type { ReadObject } from './read-object.ts';

/** How a simulation plays a valid object. */
export interface Play {
  /** True if it does not use the object at all. */
  readonly isLeftOut: boolean;
  /** What differs from a cluster. */
  readonly notes: readonly string[];
}

const HOOK = 'helm.sh/hook';

/** Returns how a simulation plays a valid object. */
export function playOf(read: ReadObject): Play {
  const hook = read.object.metadata.annotations?.[HOOK];
  if (hook !== undefined && (read.kind === 'Pod' || read.kind === 'Job'))
    return leftOut('left out: a Helm hook, which runs only while Helm installs, upgrades or tests');
  if (read.kind === 'NodeClaim') return played('nodes come from the NodePools of the files');
  if (read.kind === 'Job' && !hasDuration(read.object.spec.template)) return played(DEFAULT_DURATION);
  if (read.kind === 'CronJob' && !hasDuration(read.object.spec.jobTemplate.spec.template))
    return played(DEFAULT_DURATION);
  return played();
}

function hasDuration({ metadata }: PodTemplate): boolean {
  return metadata?.annotations?.[SIMULATED_DURATION] !== undefined;
}

const DEFAULT_DURATION = `each pod runs for 1m; the annotation ${SIMULATED_DURATION} of the pod template sets another time, such as 10m`;

function played(...notes: readonly string[]): Play {
  return { isLeftOut: false, notes };
}

function leftOut(note: string): Play {
  return { isLeftOut: true, notes: [note] };
}

/** Why an object is left out that a workload of the files creates; undefined for an object of its own. */
export function createdNote(read: ReadObject, declared: Names): string | undefined {
  if (read.kind !== 'Pod' && read.kind !== 'ReplicaSet' && read.kind !== 'Job') return undefined;
  const { metadata } = read.object;
  const owner = controllerOf(read.object);
  const key = `${metadata.namespace ?? 'default'}/${owner?.name ?? ''}`;
  return declared.some((one) => one.kind === owner?.kind && one.key === key)
    ? `left out: ${owner?.kind} ${owner?.name} creates it`
    : undefined;
}
