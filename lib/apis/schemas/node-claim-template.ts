import { REQUIREMENT_OPERATORS } from '../kubernetes.ts';
import { AWS_WELL_KNOWN_LABELS, CAPACITY_TYPE, HOSTNAME, NODE_POOL } from '../labels.ts';
import {
  atomicListOf,
  closed,
  DATE_TIME,
  described,
  enumSchema,
  patternSchema,
  type Rule,
  type Schema,
  STRING,
  withRules,
} from './schema.ts';

/** The fields that a NodePool's template shares with a NodeClaim (A1.5 to A1.10, A2.1). */

const QUALIFIED_NAME =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
const LABEL_VALUE = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const AMOUNT = '([0-9]+([.][0-9]*)?|[.][0-9]+)';

/** The API server's pattern for quantities: a sign, a decimal point, and a suffix or an exponent. */
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
  ...patternSchema(QUALIFIED_NAME, 'a label name such as team or example.com/team'),
  maxLength: 316,
};

export const LABEL_TEXT: Schema = {
  ...patternSchema(
    LABEL_VALUE,
    'at most 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends; it may be empty',
  ),
  maxLength: 63,
};

/** A1.9, A1.12 */
export const DURATION_OR_NEVER: Schema = patternSchema(
  '^(([0-9]+(s|m|h))+|Never)$',
  'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h, or Never',
);

/** A1.10 */
const DURATION: Schema = patternSchema(
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
          'The key of the taint.',
          patternSchema(QUALIFIED_NAME, 'a name such as dedicated or example.com/gpu'),
        ),
        minLength: 1,
      },
      value: described('The value of the taint.', {
        ...patternSchema(QUALIFIED_NAME, 'a value such as gpu, or no value field'),
      }),
      effect: described(
        'The effect on pods that do not tolerate the taint.',
        enumSchema('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
      ),
      timeAdded: described('The time at which the taint was added; set by the server.', DATE_TIME),
    },
    ['key', 'effect'],
  ),
};

export const TAINTS: Schema = described(
  'Taints of the nodes. Only pods that tolerate them are scheduled to the nodes.',
  atomicListOf(TAINT),
);
export const STARTUP_TAINTS: Schema = described(
  'Taints that another component removes after a node has joined. Scheduling ignores them. A node is initialized once they are removed.',
  atomicListOf(TAINT),
);

/** A1.3: rules for reserved keys of labels or requirements. `subject` is the name of the key in the CEL rules. */
export function keyRules(
  subject: 'x' | 'self',
  { awsLabels, mayNamePool }: { readonly awsLabels: readonly string[]; readonly mayNamePool: boolean },
): readonly Rule[] {
  const own = mayNamePool ? [CAPACITY_TYPE, NODE_POOL] : [CAPACITY_TYPE];
  const each = subject === 'x' ? { each: true as const } : {};
  return [
    {
      rule: `${subject} in [${quoted(own)}] || !${subject}.matches('^[^/]*karpenter[.]sh(/|$)')`,
      message: 'is reserved for Karpenter',
      allowed: `another label; of this domain only ${own.join(' and ')} ${own.length === 1 ? 'is' : 'are'} allowed`,
      known: own,
      ...each,
    },
    {
      rule: `${subject} != '${HOSTNAME}'`,
      message: 'is set to the name of the node, which is not known in advance',
      allowed: 'another label',
      ...each,
    },
    {
      rule: `${subject} in [${quoted(awsLabels)}] || !${subject}.matches('^[^/]*karpenter[.]k8s[.]aws(/|$)')`,
      message: 'is not a label of EC2 instances',
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
    message: 'Gt, Lt, Gte and Lte need exactly one number',
    allowed: 'exactly one whole number of zero or more in quotes, such as ["4"]',
    fieldPath: '.values',
  },
];

const MIN_VALUES_RULE: Rule = {
  rule: "self.operator != 'In' || !has(self.minValues) || self.values.size() >= self.minValues",
  message: 'is larger than the number of values',
  allowed: 'more values, or a smaller minValues',
  fieldPath: '.minValues',
};

export const OPERATOR: Schema = described(
  'The operator: In, NotIn, Exists, DoesNotExist, or Gt, Lt, Gte, Lte for numbers.',
  enumSchema(...REQUIREMENT_OPERATORS),
);

export const VALUES: Schema = described(
  'The values: a list for In and NotIn, one whole number for Gt, Lt, Gte and Lte, empty otherwise.',
  atomicListOf(STRING),
);

/** A1.5, A1.6. Only a NodeClaim may have a requirement on its NodePool. */
export function requirements({ mayNamePool }: { readonly mayNamePool: boolean }): Schema {
  const keys = keyRules('self', { awsLabels: AWS_WELL_KNOWN_LABELS, mayNamePool });
  const requirement = closed(
    {
      key: described('The label key.', withRules(LABEL_KEY, ...keys)),
      operator: OPERATOR,
      values: VALUES,
      minValues: {
        ...described('The minimum number of different values among the instance types of a launch.', {
          type: 'integer',
        }),
        minimum: 1,
        maximum: 50,
      },
    },
    ['key', 'operator'],
  );
  return described(
    'Requirements on nodes: instance types, zones, capacity types, architectures and custom labels. A node meets all of them.',
    atomicListOf(
      { title: 'NodePoolRequirement', ...withRules(requirement, ...VALUE_RULES, MIN_VALUES_RULE) },
      { maxItems: 100 },
    ),
  );
}

/** A1.8 */
export function nodeClassRef(...rules: readonly Rule[]): Schema {
  const noneEmpty: Rule = { rule: "self != ''", message: 'is empty', allowed: 'the value of the NodeClass' };
  const reference = closed(
    {
      group: described(
        'The API group of the NodeClass, without a version: karpenter.k8s.aws.',
        withRules(patternSchema('^[^/]*$', 'an API group without a version, such as karpenter.k8s.aws'), noneEmpty),
      ),
      kind: described('The kind of the NodeClass: EC2NodeClass.', withRules(STRING, noneEmpty)),
      name: described('The name of the NodeClass.', withRules(STRING, noneEmpty)),
    },
    ['group', 'kind', 'name'],
  );
  return {
    title: 'NodeClassReference',
    ...described(
      'The NodeClass with the settings for launching instances.',
      rules.length === 0 ? reference : withRules(reference, ...rules),
    ),
  };
}

export const EXPIRE_AFTER: Schema = {
  ...described('The maximum lifetime of a node, after which it is replaced. Never disables expiry.', DURATION_OR_NEVER),
  default: '720h',
};

export const TERMINATION_GRACE_PERIOD: Schema = described(
  'The maximum time for draining a node, after which its remaining pods are deleted regardless of disruption budgets. Default: no limit.',
  DURATION,
);
