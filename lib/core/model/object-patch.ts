import type { Labels } from '../../apis/kubernetes.ts';

/** Changes to an object of a user. Annotations are merged; finalizers and status are replaced as a whole. */
export interface ObjectPatch<Status> {
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
  readonly status?: Status;
}
