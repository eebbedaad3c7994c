import type { Pod, PodSpec, PriorityClass } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { withLabelKeys } from '../../core/admission/label-keys.ts';
import { withLimitRanges } from '../../core/admission/limit-ranges.ts';
import { admitRuntimeClass, UNKNOWN_RUNTIME_CLASS } from '../../core/admission/runtime-classes.ts';
import { type KubernetesState, writePod } from './state.ts';
import { workloadOf } from './workloads/simulated-workload.ts';

/**
 * Creates a pod as the API server does: admission sets its priority, its resources by the LimitRanges, what its RuntimeClass adds, and the
 * selectors of its affinity by their label keys. A pod that admission refuses is not created. Every new pod of the simulated cluster comes
 * from here.
 */
export function createPod(state: KubernetesState, pod: Pod): void {
  const complete = withLabelKeys(withLimitRanges(pod, state.limitRanges));
  const spec = withRuntimeClass(state, complete);
  if (spec !== undefined) writePod(state, { ...complete, spec: withPriority(state, spec) });
}

function withRuntimeClass({ runtimeClasses, onAssumption }: KubernetesState, pod: Pod): PodSpec | undefined {
  const found = admitRuntimeClass(pod.spec, runtimeClasses);
  if (found.kind === 'admitted') return found.spec;
  if (found.kind === 'refused') {
    onAssumption(`the API server refuses its pods: ${found.why}`, workloadOf(pod));
    return undefined;
  }
  onAssumption(UNKNOWN_RUNTIME_CLASS, `RuntimeClass ${found.name}`);
  return pod.spec;
}

/** The priority that a new pod gets. */
export function priorityOf(state: KubernetesState, spec: PodSpec): number {
  return withPriority(state, spec).priority ?? 0;
}

/**
 * The Priority admission plugin: the priority and the preemption policy of the PriorityClass of the pod, else of the class with
 * globalDefault. The real API server refuses a pod whose class does not exist; here, it has the priority 0.
 */
function withPriority({ priorityClasses, onAssumption }: KubernetesState, spec: PodSpec): PodSpec {
  const { priorityClassName: name, preemptionPolicy } = spec;
  if (spec.priority !== undefined) return spec;
  const found = name === undefined ? defaultClass(priorityClasses) : priorityClasses.get(name);
  if (found === undefined && name !== undefined)
    onAssumption('it is not in the files: its pods have the priority 0', `PriorityClass ${name}`);
  if (found === undefined) return spec;
  const policy = preemptionPolicy ?? found.preemptionPolicy;
  return {
    ...spec,
    priorityClassName: found.metadata.name,
    priority: found.value ?? 0,
    ...optional({ preemptionPolicy: policy }),
  };
}

/** Of several, that with the lowest value, as in Kubernetes. */
function defaultClass(classes: ReadonlyMap<string, PriorityClass>): PriorityClass | undefined {
  const [first] = [...classes.values()]
    .filter(({ globalDefault }) => globalDefault === true)
    .toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0));
  return first;
}
