import { isMap, type YAMLMap } from 'yaml';
import type { KubeletSettings, Subject } from './subject.ts';
import { isEmpty, take } from './yaml-map.ts';

/** Takes the kubelet's settings out of a pool: in v1 they stand in its node class. */
export function takeKubelet(subject: Subject, spec: YAMLMap, name: string): KubeletSettings | undefined {
  const field = take(spec, name);
  if (field === undefined || isEmpty(field.value)) return undefined;
  if (isMap(field.value)) return { field, settings: field.value };
  subject.warn(
    field,
    'was left out: it is not a map of settings',
    'write the settings in the EC2NodeClass: spec.kubelet',
  );
  return undefined;
}
