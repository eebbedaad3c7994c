import { isSeq, type YAMLMap } from 'yaml';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, OS } from '../../apis/labels.ts';
import { setValue } from './comments.ts';
import type { Subject } from './subject.ts';
import { find, isNull, mapsIn, newPair, textAt, toNode } from './yaml-map.ts';

interface Default {
  /** Any of these keys among the requirements kept the default away. */
  readonly unless: readonly string[];
  readonly requirement: { readonly key: string; readonly operator: string; readonly values: readonly string[] };
}

const CATEGORY = 'karpenter.k8s.aws/instance-category';
const GENERATION = 'karpenter.k8s.aws/instance-generation';
const SIZES = [INSTANCE_TYPE, 'karpenter.k8s.aws/instance-family', CATEGORY, GENERATION];

interface Places {
  /** The Provisioner's spec. */
  readonly spec: YAMLMap;
  /** The spec of the NodePool's template, where the requirements are by now. */
  readonly nodes: YAMLMap;
}

/** What the webhook of v1alpha5 added to a Provisioner; v1 adds nothing. */
const DEFAULTS: readonly Default[] = [
  { unless: [OS], requirement: { key: OS, operator: 'In', values: ['linux'] } },
  { unless: [ARCH], requirement: { key: ARCH, operator: 'In', values: ['amd64'] } },
  { unless: [CAPACITY_TYPE], requirement: { key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] } },
  { unless: SIZES, requirement: { key: CATEGORY, operator: 'In', values: ['c', 'm', 'r'] } },
  { unless: SIZES, requirement: { key: GENERATION, operator: 'Gt', values: ['2'] } },
];

export function addDefaultRequirements(subject: Subject, { spec, nodes: template }: Places): void {
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
  for (const { requirement } of added)
    subject.warn(
      list ?? { within: spec, field: 'requirements' },
      `does not mention ${requirement.key}, which meant ${requirement.operator} [${requirement.values.join(', ')}]; ` +
        'it is written out because v1 has no such default',
      'change or remove the requirement if more is welcome',
    );
}
