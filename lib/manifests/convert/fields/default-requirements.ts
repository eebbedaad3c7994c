import { isSeq, type YAMLMap } from 'yaml';
import {
  ARCH,
  CAPACITY_TYPE,
  INSTANCE_CATEGORY,
  INSTANCE_FAMILY,
  INSTANCE_GENERATION,
  INSTANCE_TYPE,
  OS,
} from '../../../apis/labels.ts';
import { setValue } from '../documents/comments.ts';
import { find, isNull, mapsIn, newPair, textAt, toNode } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

interface Default {
  /** The default did not apply if a requirement had one of these keys. */
  readonly unless: readonly string[];
  readonly requirement: { readonly key: string; readonly operator: string; readonly values: readonly string[] };
}

const SIZES = [INSTANCE_TYPE, INSTANCE_FAMILY, INSTANCE_CATEGORY, INSTANCE_GENERATION];

interface Places {
  /** The Provisioner's spec. */
  readonly spec: YAMLMap;
  /** The spec of the NodePool's template, which already holds the requirements. */
  readonly nodes: YAMLMap;
}

/** The defaults that the v1alpha5 webhook added to a Provisioner. v1 adds none. */
const DEFAULTS: readonly Default[] = [
  { unless: [OS], requirement: { key: OS, operator: 'In', values: ['linux'] } },
  { unless: [ARCH], requirement: { key: ARCH, operator: 'In', values: ['amd64'] } },
  { unless: [CAPACITY_TYPE], requirement: { key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] } },
  { unless: SIZES, requirement: { key: INSTANCE_CATEGORY, operator: 'In', values: ['c', 'm', 'r'] } },
  { unless: SIZES, requirement: { key: INSTANCE_GENERATION, operator: 'Gt', values: ['2'] } },
];

export function addDefaultRequirements(subject: ConversionSubject, { spec, nodes: template }: Places): void {
  const given = new Set(mapsIn(template, 'requirements').map((requirement) => textAt(requirement, 'key')));
  const added = DEFAULTS.filter(({ unless }) => !unless.some((key) => given.has(key)));
  const list = find(template, 'requirements');
  if (list !== undefined && !isNull(list.value) && !isSeq(list.value)) {
    subject.warn(list, 'is not a list, so nothing in it was converted', 'write requirements as a list');
    return;
  }
  const nodes = added.map(({ requirement }) => toNode(requirement));
  if (list === undefined) template.items.push(newPair('requirements', nodes));
  else if (isSeq(list.value)) list.value.items.push(...nodes);
  else setValue(list, toNode(nodes));
  if (added.length === 0) return;
  const defaults = added.map(
    ({ requirement: { key, operator, values } }) => `${key} ${operator} [${values.join(', ')}]`,
  );
  subject.warn(
    list ?? { within: spec, field: 'requirements' },
    `the defaults of v1alpha5 are written explicitly because v1 has none: ${defaults.join(', ')}`,
    'change or remove a requirement to allow other values',
  );
}
