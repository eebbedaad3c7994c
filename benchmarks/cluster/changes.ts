/** The changes in a cluster between two reads: pods are bound and become ready, are created and are deleted. */
import type { StoredObject } from './etcd.ts';
import { aPod } from './pods.ts';

/** Only changed pods are on these nodes. */
export const CHANGED_NODES: readonly string[] = ['bound', 'restarted', 'created'];
const [BOUND, RESTARTED, CREATED] = CHANGED_NODES;

export interface Changes {
  readonly objects: readonly StoredObject[];
  /** The number that a read must find afterwards. */
  readonly pods: number;
  readonly unbound: number;
  readonly changed: number;
}

/** Half of the changes are binds and restarts, three tenths are new pods, one fifth are deleted pods. */
export function changesOf(count: number, now: { readonly pods: number; readonly unbound: number }): Changes {
  const { pods, unbound } = now;
  const bound = Math.min(unbound, Math.floor(count * 0.2));
  const restarted = Math.floor(count * 0.5) - bound;
  const gone = Math.floor(count * 0.2);
  const created = count - bound - restarted - gone;
  return {
    objects: [
      ...each(bound, (at) => aPod({ index: at, node: BOUND })),
      // The last pods, so that no pod is changed twice.
      ...each(restarted, (at) => aPod({ index: pods - 1 - at, node: RESTARTED })),
      ...each(created, (at) => aPod({ index: pods + at, node: CREATED })),
      ...each(gone, (at) => ({ key: aPod({ index: unbound + at, node: undefined }).key, object: undefined })),
    ],
    pods: pods + created - gone,
    unbound: unbound - bound,
    changed: bound + restarted + created,
  };
}

function each(length: number, of: (at: number) => StoredObject): readonly StoredObject[] {
  return Array.from({ length }, (_, at) => of(at));
}
