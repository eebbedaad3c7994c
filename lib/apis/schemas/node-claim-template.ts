import { AWS_WELL_KNOWN_LABELS, CAPACITY_TYPE, HOSTNAME, NODE_POOL } from '../labels.ts';
import {
  atomicListOf,
  closed,
  DATE_TIME,
  described,
  matching,
  oneOf,
  type Rule,
  type Schema,
  STRING,
  withRules,
} from './schema.ts';

/** The fields that a NodePool's template and a NodeClaim have in common (A1.5 to A1.10, A2.1). */

const QUALIFIED_NAME =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
const LABEL_VALUE = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const AMOUNT = '([0-9]+([.][0-9]*)?|[.][0-9]+)';

/** Text with a sign, a decimal point and a suffix or an exponent, as the API server's own pattern for quantities. */
export const INT_OR_QUANTITY: Schema = {
  type: ['integer', 'string'],
  pattern: `^[+-]?${AMOUNT}([KMGTPE]i|[numkMGTPE]|[eE][+-]?${AMOUNT})?$`,
  allowed: 'a quantity such as 500m, 2, 512Mi or 1e3',
  'x-kubernetes-int-or-string': true,
};

export const RESOURCE_AMOUNTS: Schema = {
  type: 'object',
  tsType: 'ResourceList',
  additionalProperties: INT_OR_QUANTITY,
};

export const LABEL_KEY: Schema = {
  ...matching(QUALIFIED_NAME, 'a label name such as team or example.com/team'),
  maxLength: 316,
};

export const LABEL_TEXT: Schema = {
  ...matching(
    LABEL_VALUE,
    'at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends; it may be empty',
  ),
  maxLength: 63,
};

/** A1.9, A1.12 */
export const DURATION_OR_NEVER: Schema = matching(
  '^(([0-9]+(s|m|h))+|Never)$',
  'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h, or Never',
);

/** A1.10 */
const DURATION: Schema = matching(
  '^([0-9]+(s|m|h))+$',
  'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h',
);

/** A1.7 */
const TAINT: Schema = {
  title: 'Taint',
  tsType: 'Taint',
  ...closed(
    {
      key: {
        ...described(
          'What the taint is about.',
          matching(QUALIFIED_NAME, 'a name such as dedicated or example.com/gpu'),
        ),
        minLength: 1,
      },
      value: described('Which of several, where the key alone does not say.', {
        ...matching(QUALIFIED_NAME, 'a value such as gpu, or no value field at all'),
      }),
      effect: described(
        'What it does to a pod that does not tolerate it: keeps it off, keeps it off if there is another place, or evicts it.',
        oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
      ),
      timeAdded: described('When the taint was set; the server fills it in.', DATE_TIME),
    },
    ['key', 'effect'],
  ),
};

export const TAINTS: Schema = described(
  'Taints of the nodes: only pods that tolerate them are counted on.',
  atomicListOf(TAINT),
);
export const STARTUP_TAINTS: Schema = described(
  'Taints that something else removes soon after a node has joined. Scheduling ignores them; a node is initialized once they are gone.',
  atomicListOf(TAINT),
);

/** A1.3: the keys of labels or requirements that are spoken for; `subject` is what the rules call the key. */
export function keyRules(
  subject: 'x' | 'self',
  { awsLabels, mayNamePool }: { readonly awsLabels: readonly string[]; readonly mayNamePool: boolean },
): readonly Rule[] {
  const own = mayNamePool ? [CAPACITY_TYPE, NODE_POOL] : [CAPACITY_TYPE];
  const each = subject === 'x' ? { each: true as const } : {};
  return [
    {
      rule: `${subject} in [${quoted(own)}] || !${subject}.matches('^[^/]*karpenter[.]sh(/|$)')`,
      message: 'is set by Karpenter and cannot be asked for',
      allowed: `another label; of this domain only ${own.join(' and ')} may stand here`,
      known: own,
      ...each,
    },
    {
      rule: `${subject} != '${HOSTNAME}'`,
      message: 'is set by Karpenter to the name of the node, which nobody knows beforehand',
      allowed: 'another label',
      ...each,
    },
    {
      rule: `${subject} in [${quoted(awsLabels)}] || !${subject}.matches('^[^/]*karpenter[.]k8s[.]aws(/|$)')`,
      message: 'is no label of an EC2 instance',
      allowed: `one of ${awsLabels.join(', ')}`,
      known: awsLabels,
      ...each,
    },
  ];
}

function quoted(labels: readonly string[]): string {
  return labels.map((label) => `'${label}'`).join(', ');
}

/** A1.5 */
export const VALUE_RULES: readonly Rule[] = [
  {
    rule: "self.operator != 'In' || (has(self.values) && self.values.size() > 0)",
    message: 'In has no values',
    allowed: 'at least one value, such as ["a"]',
    fieldPath: '.values',
  },
  {
    rule: "!(self.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(self.values) && self.values.size() == 1 && int(self.values[0]) >= 0)",
    message: 'Gt, Lt, Gte and Lte compare with one number',
    allowed: 'exactly one whole number of zero or more in quotes, such as ["4"]',
    fieldPath: '.values',
  },
];

const MIN_VALUES_RULE: Rule = {
  rule: "self.operator != 'In' || !has(self.minValues) || self.values.size() >= self.minValues",
  message: 'asks for more values than the list has',
  allowed: 'more values, or a smaller minValues',
  fieldPath: '.minValues',
};

export const OPERATOR: Schema = described(
  'How the label is compared: In, NotIn, Exists, DoesNotExist, or with a number by Gt, Lt, Gte, Lte.',
  oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'),
);

export const VALUES: Schema = described(
  'What the label is compared with: a list for In and NotIn, one whole number for Gt, Lt, Gte and Lte, nothing otherwise.',
  atomicListOf(STRING),
);

/** A1.5, A1.6. A NodeClaim says its pool, a NodePool need not. */
export function requirements({ mayNamePool }: { readonly mayNamePool: boolean }): Schema {
  const keys = keyRules('self', { awsLabels: AWS_WELL_KNOWN_LABELS, mayNamePool });
  const requirement = closed(
    {
      key: described('The label of a node.', withRules(LABEL_KEY, ...keys)),
      operator: OPERATOR,
      values: VALUES,
      minValues: {
        ...described('How many different values must stay possible when an instance is launched.', { type: 'integer' }),
        minimum: 1,
        maximum: 50,
      },
    },
    ['key', 'operator'],
  );
  return described(
    'What nodes must be like: instance types, zones, capacity types, architectures and labels of your own. All of them hold.',
    atomicListOf(
      { title: 'NodePoolRequirement', ...withRules(requirement, ...VALUE_RULES, MIN_VALUES_RULE) },
      { maxItems: 100 },
    ),
  );
}

/** A1.8 */
export function nodeClassRef(...rules: readonly Rule[]): Schema {
  const noneEmpty: Rule = { rule: "self != ''", message: 'is empty', allowed: 'what the NodeClass says' };
  const reference = closed(
    {
      group: described(
        'The API group of the NodeClass, without a version: karpenter.k8s.aws.',
        withRules(matching('^[^/]*$', 'an API group without a version, such as karpenter.k8s.aws'), noneEmpty),
      ),
      kind: described('The kind of the NodeClass: EC2NodeClass.', withRules(STRING, noneEmpty)),
      name: described('The name of the NodeClass.', withRules(STRING, noneEmpty)),
    },
    ['group', 'kind', 'name'],
  );
  return {
    title: 'NodeClassReference',
    ...described(
      'The NodeClass that says how instances are launched.',
      rules.length === 0 ? reference : withRules(reference, ...rules),
    ),
  };
}

export const EXPIRE_AFTER: Schema = {
  ...described(
    'How long a node may live before it is replaced, from its creation on; Never switches that off.',
    DURATION_OR_NEVER,
  ),
  default: '720h',
};

export const TERMINATION_GRACE_PERIOD: Schema = described(
  'How long a node may drain before its pods are deleted whatever protects them; without it, a node waits for them for ever.',
  DURATION,
);
