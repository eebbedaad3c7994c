import type { Labels, Pod, PodSpec, ResourceList } from '../lib/apis/kubernetes.ts';
import type { Random } from '../lib/simulator/random.ts';

/** The part of a snapshot file that differs from workload to workload. */
export interface Workload {
  readonly pods: readonly Pod[];
  readonly daemonSets?: readonly object[];
  readonly nodes?: readonly object[];
  readonly nodeClaims?: readonly object[];
}

/** Creates a workload with so many pending pods. The same random numbers give the same pods. */
export type MakeWorkload = (random: Random, pods: number) => Workload;

export interface PodOptions {
  readonly name: string;
  readonly labels?: Labels;
  readonly requests: ResourceList;
  readonly spec?: Partial<PodSpec>;
}

/** The creation time of all objects of a workload, so that age does not order its pods. */
export const CREATED = '2026-01-01T00:00:00Z';

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';

export function pod({ name, labels = {}, requests, spec }: PodOptions): Pod {
  return {
    metadata: { name, namespace: 'default', creationTimestamp: CREATED, labels },
    spec: { containers: [{ name: 'main', resources: { requests } }], ...spec },
  };
}

const CPU = ['100m', '250m', '500m', '1', '1500m'];
const MEMORY = ['100Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi'];

/** The requests of an ordinary pod: 0.1 to 1.5 CPUs, 100 MiB to 4 GiB. */
export function someRequests(random: Random): ResourceList {
  return { cpu: pickFrom(random, CPU), memory: pickFrom(random, MEMORY) };
}

export function pickFrom<T>(random: Random, list: readonly T[]): T {
  const picked = random.pick(list);
  if (picked === undefined) throw new RangeError('nothing to pick from: the list is empty');
  return picked;
}

/** `name-00017`, so that names sort in the order of creation. */
export function numbered(name: string, at: number): string {
  return `${name}-${String(at).padStart(5, '0')}`;
}
