import {
  type LimitRange,
  namespaceOf,
  type ObjectMeta,
  type Pod,
  type PodTemplate,
  podKey,
  type RuntimeClass,
} from '../../apis/kubernetes.ts';
import { withLabelKeys } from '../../core/admission/label-keys.ts';
import { templateWithLimitRanges, withLimitRanges } from '../../core/admission/limit-ranges.ts';
import {
  admitRuntimeClass,
  type RuntimeAdmission,
  UNKNOWN_RUNTIME_CLASS,
} from '../../core/admission/runtime-classes.ts';
import { type Remarks, remarks } from '../../simulator/remarks.ts';

/** What the API server's admission does to the pods that a plan adds. */
export interface Admission {
  /** *Shape:* no pod if it is refused. */
  readonly pods: (pod: Pod) => readonly Pod[];
  /** The template as the pods have it that are created from it for this owner. If they are refused, it stays as it is. */
  readonly template: (template: PodTemplate, owner: { readonly metadata: ObjectMeta }) => PodTemplate;
  /** One sentence for each refusal and assumption until now. */
  readonly notes: () => readonly string[];
}

export function planAdmission(limitRanges: readonly LimitRange[], given: readonly RuntimeClass[]): Admission {
  const classes = new Map(given.map((one) => [one.metadata.name, one]));
  const noted = remarks();
  return {
    pods(pod) {
      const found = admitRuntimeClass(pod.spec, classes);
      note(found, `Pod ${podKey(pod)}`, noted);
      if (found.kind === 'refused') return [];
      const admitted = found.kind === 'admitted' ? { ...pod, spec: found.spec } : pod;
      return [withLabelKeys(withLimitRanges(admitted, limitRanges))];
    },
    template(template, owner) {
      const found = admitRuntimeClass(template.spec, classes);
      if (found.kind === 'unknown') note(found, '', noted);
      const admitted = found.kind === 'admitted' ? { ...template, spec: found.spec } : template;
      return templateWithLimitRanges(admitted, namespaceOf(owner), limitRanges);
    },
    notes: () => noted.lines(),
  };
}

function note(found: RuntimeAdmission, subject: string, noted: Remarks): void {
  if (found.kind === 'refused') noted.add(`not planned, because the API server refuses it: ${found.why}`, subject);
  if (found.kind === 'unknown') noted.add(UNKNOWN_RUNTIME_CLASS, `RuntimeClass ${found.name}`);
}
