import { AWS_WELL_KNOWN_LABELS } from '../labels.ts';
import { CONDITIONS } from './conditions.ts';
import { AGE_COLUMN, type CustomResource, READY_COLUMN } from './custom-resource.ts';
import { INT_OR_QUANTITY, keyRules, LABEL_KEY, OPERATOR, VALUE_RULES, VALUES } from './node-claim-template.ts';
import { atomicListOf, closed, described, INT32, matching, type Schema, withRules } from './schema.ts';

/** A4.2: what an overlay cannot tell apart, since it is settled at launch only. */
const NOT_BEFORE_LAUNCH = /\/(instance-tenancy|capacity-reservation-|placement-group-)/;
const AWS_LABELS = AWS_WELL_KNOWN_LABELS.filter((label) => !NOT_BEFORE_LAUNCH.test(label));

/** A4.2 */
const REQUIREMENT: Schema = {
  title: 'NodeOverlayRequirement',
  ...withRules(
    closed(
      {
        key: described(
          'A label of the instance type, of the NodePool, or karpenter.sh/nodepool itself.',
          withRules(LABEL_KEY, ...keyRules('self', { awsLabels: AWS_LABELS, mayNamePool: true })),
        ),
        operator: OPERATOR,
        values: VALUES,
      },
      ['key', 'operator'],
    ),
    ...VALUE_RULES,
    {
      rule: "self.operator != 'NotIn' || (has(self.values) && self.values.size() > 0)",
      message: 'NotIn has no values',
      allowed: 'at least one value, such as ["a"]',
      fieldPath: '.values',
    },
  ),
};

const NUMBER = '([0-9]+([.][0-9]+)?|[.][0-9]+)';
const PERCENT_DOWN = '-([0-9]{1,2}([.][0-9]+)?|100)%';

/** A4.1 to A4.5 */
export const NODE_OVERLAY: CustomResource = {
  group: 'karpenter.sh',
  version: 'v1alpha1',
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  shortNames: ['overlays'],
  category: 'karpenter',
  scope: 'Cluster',
  description: 'What is to be believed of some instance types instead of what EC2 says: another price, more resources.',
  columns: [READY_COLUMN, AGE_COLUMN, { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', priority: 1 }],
  spec: withRules(
    closed(
      {
        requirements: described(
          'Which instance types and NodePools are meant. All of them hold.',
          atomicListOf(REQUIREMENT, { maxItems: 100 }),
        ),
        price: described(
          'The price in USD an hour that counts instead.',
          matching('^[0-9]+([.][0-9]+)?$', 'a price in USD an hour without a sign, as text, such as "0.25"'),
        ),
        priceAdjustment: described(
          'What is added to the price: an amount in USD an hour or a percentage, with its sign.',
          matching(
            `^([+-]${NUMBER}|[+]${NUMBER}%|${PERCENT_DOWN})$`,
            'an amount or a percentage with its sign, as text, such as "+0.10", "-0.5", "+10%" or "-15%", and no less than "-100%"',
          ),
        ),
        capacity: described('Extended resources that the instance types have beside what EC2 says.', {
          ...withRules(
            { type: 'object', tsType: 'ResourceList', additionalProperties: INT_OR_QUANTITY },
            {
              rule: "!(x in ['cpu', 'memory', 'ephemeral-storage', 'pods'])",
              message: 'is what EC2 says it is',
              allowed: 'extended resources only, such as example.com/licence',
              each: true,
            },
          ),
        }),
        weight: {
          ...described(
            'Of overlays that touch the same thing, the one with the highest weight counts; without one it is 0.',
            INT32,
          ),
          minimum: 1,
          maximum: 10_000,
        },
      },
      ['requirements'],
    ),
    {
      rule: '!has(self.price) || !has(self.priceAdjustment)',
      message: 'stands beside price',
      allowed: 'price or priceAdjustment, not both',
      fieldPath: '.priceAdjustment',
    },
  ),
  status: closed({ conditions: CONDITIONS }),
};
