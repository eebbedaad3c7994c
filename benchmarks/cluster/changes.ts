/** What happens in a cluster between two looks: pods are bound and become ready, new ones come, old ones go. */
import type { StoredObject } from './etcd.ts';
import { aPod } from './pods.ts';

/** No other pod is on these. */
export const CHANGED_NODES: readonly string[] = ['bound', 'restarted', 'created'];
const [BOUND, RESTARTED, CREATED] = CHANGED_NODES;

export interface Changes {
  readonly objects: readonly StoredObject[];
  /** What a look must find afterwards. */
  readonly pods: number;
  readonly unbound: number;
  readonly changed: number;
}

/** Half of them are pods that are bound or restart, three tenths new ones, one fifth pods that go. */
export function changesOf(count: number, now: { readonly pods: number; readonly unbound: number }): Changes {
  const { pods, unbound } = now;
  const bound = Math.min(unbound, Math.floor(count * 0.2));
  const restarted = Math.floor(count * 0.5) - bound;
  const gone = Math.floor(count * 0.2);
  const created = count - bound - restarted - gone;
  return {
    objects: [
      ...each(bound, (at) => aPod({ index: at, node: BOUND })),
      // The last ones, so that none is changed twice.
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
