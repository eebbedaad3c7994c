import { isMap, type YAMLMap } from 'yaml';
import { isEmptyMap, take } from '../documents/yaml-map.ts';
import type { ConversionSubject, KubeletSettings } from '../subject.ts';

/** Removes the kubelet settings from a pool. In v1 they belong to its node class. */
export function takeKubelet(subject: ConversionSubject, spec: YAMLMap, name: string): KubeletSettings | undefined {
  const field = take(spec, name);
  if (field === undefined || isEmptyMap(field.value)) return undefined;
  if (isMap(field.value)) return { field, settings: field.value };
  subject.warn(
    field,
    'was removed: it is not a map of settings',
    'write the settings in the EC2NodeClass: spec.kubelet',
  );
  return undefined;
}
