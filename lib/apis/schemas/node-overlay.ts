import { AWS_WELL_KNOWN_LABELS } from '../labels.ts';
import { CONDITIONS } from './conditions.ts';
import { AGE_COLUMN, type CustomResource, READY_COLUMN } from './custom-resource.ts';
import { INT_OR_QUANTITY, keyRules, LABEL_KEY, OPERATOR, VALUE_RULES, VALUES } from './node-claim-template.ts';
import { atomicListOf, closed, described, INT32, patternSchema, type Schema, withRules } from './schema.ts';

/** A4.2: labels that an overlay cannot select, because they are known only at launch. */
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
export const NODE_OVERLAY_RESOURCE: CustomResource = {
  group: 'karpenter.sh',
  version: 'v1alpha1',
  kind: 'NodeOverlay',
  plural: 'nodeoverlays',
  shortNames: ['overlays'],
  category: 'karpenter',
  scope: 'Cluster',
  description: 'Overrides the price of instance types, or adds extended resources to them.',
  columns: [READY_COLUMN, AGE_COLUMN, { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', priority: 1 }],
  spec: withRules(
    closed(
      {
        requirements: described(
          'The instance types and NodePools that the overlay applies to. All requirements must be met.',
          atomicListOf(REQUIREMENT, { maxItems: 100 }),
        ),
        price: described(
          'The price in USD per hour, which replaces the price of EC2.',
          patternSchema('^[0-9]+([.][0-9]+)?$', 'a price in USD per hour without a sign, in quotes, such as "0.25"'),
        ),
        priceAdjustment: described(
          'A change of the price: an amount in USD per hour or a percentage, with a sign.',
          patternSchema(
            `^([+-]${NUMBER}|[+]${NUMBER}%|${PERCENT_DOWN})$`,
            'an amount or a percentage with a sign, in quotes, such as "+0.10", "-0.5", "+10%" or "-15%", at least "-100%"',
          ),
        ),
        capacity: described('Extended resources that are added to the capacity of the instance types.', {
          ...withRules(
            { type: 'object', tsType: 'ResourceList', additionalProperties: INT_OR_QUANTITY },
            {
              rule: "!(x in ['cpu', 'memory', 'ephemeral-storage', 'pods'])",
              message: 'is defined by EC2 and cannot be changed',
              allowed: 'extended resources only, such as example.com/licence',
              each: true,
            },
          ),
        }),
        weight: {
          ...described(
            'The weight of the overlay. Where several overlays apply, the one with the highest weight is used. Default: 0.',
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
      message: 'cannot be set together with price',
      allowed: 'price or priceAdjustment, not both',
      fieldPath: '.priceAdjustment',
    },
  ),
  status: closed({ conditions: CONDITIONS }),
};
