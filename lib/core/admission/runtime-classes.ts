import type { Labels, PodSpec, ResourceList, RuntimeClass, Toleration } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { fieldOf } from '../../apis/record.ts';
import { parseResources } from '../resources/resources.ts';

/** What the RuntimeClass admission plugin makes of a pod. */
export type RuntimeAdmission =
  | { readonly kind: 'admitted'; readonly spec: PodSpec }
  /** There is no such class. */
  | { readonly kind: 'unknown'; readonly name: string }
  | { readonly kind: 'refused'; readonly why: string };

/** What is assumed of a class that is not in the files. The API server would refuse its pods if the cluster did not have it. */
export const UNKNOWN_RUNTIME_CLASS =
  'it is not in the files: what it adds to its pods, such as overhead, does not count';

/**
 * The pod with the overhead, the node selector and the tolerations of its RuntimeClass. As in the API server, another overhead of its own,
 * or another value of the same node label, refuses it. *Shape:* the given spec where the class adds nothing. *Cost:* O(labels + tolerations).
 */
export function admitRuntimeClass(spec: PodSpec, classes: ReadonlyMap<string, RuntimeClass>): RuntimeAdmission {
  const { runtimeClassName: name = '' } = spec;
  if (name === '') return { kind: 'admitted', spec };
  const found = classes.get(name);
  // A pod of an export of a cluster already has the overhead of its class.
  if (found === undefined) return spec.overhead === undefined ? { kind: 'unknown', name } : { kind: 'admitted', spec };
  const why = whyRefused(spec, found);
  if (why !== undefined) return { kind: 'refused', why: `RuntimeClass ${name} has ${why}` };
  const { overhead, scheduling = {} } = found;
  const nodeSelector = scheduling.nodeSelector && { ...spec.nodeSelector, ...scheduling.nodeSelector };
  const tolerations = scheduling.tolerations && mergedTolerations(spec.tolerations, scheduling.tolerations);
  return {
    kind: 'admitted',
    spec: { ...spec, ...optional({ overhead: overhead?.podFixed, nodeSelector, tolerations }) },
  };
}

function whyRefused(spec: PodSpec, { overhead, scheduling }: RuntimeClass): string | undefined {
  const own = spec.overhead;
  if (own !== undefined && overhead !== undefined && !isSameOverhead(own, overhead.podFixed))
    return 'another overhead than the pod';
  const conflict = conflictOf(spec.nodeSelector, scheduling?.nodeSelector);
  return conflict && `${conflict.key}: ${conflict.value} in scheduling.nodeSelector, and the pod has ${conflict.own}`;
}

function isSameOverhead(own: ResourceList, ofClass: ResourceList | undefined): boolean {
  const [a, b] = [parseResources(own), parseResources(ofClass)];
  return Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);
}

interface Conflict {
  readonly key: string;
  readonly value: string;
  readonly own: string;
}

function conflictOf(own: Labels = {}, ofClass: Labels = {}): Conflict | undefined {
  return Object.entries(ofClass)
    .flatMap(([key, value]) => {
      const before = fieldOf(own, key);
      return before === undefined || before === value ? [] : [{ key, value, own: before }];
    })
    .at(0);
}

function mergedTolerations(own: readonly Toleration[] = [], ofClass: readonly Toleration[]): readonly Toleration[] {
  const known = new Set(own.map((one) => JSON.stringify(one)));
  return [...own, ...ofClass.filter((one) => !known.has(JSON.stringify(one)))];
}
