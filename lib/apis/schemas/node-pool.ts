import { LABELS, OBJECT_META } from './object-meta.ts';
import { COUNT, closed, listOf, mapOf, oneOf, resource, type Schema, STRING, TEXT, text } from './schema.ts';

const REASONS = ['Underutilized', 'Empty', 'Drifted'] as const;

/** A1.7 */
const TAINT: Schema = closed(
  {
    key: text('qualified-name'),
    value: text('qualified-name'),
    effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    timeAdded: STRING,
  },
  ['key', 'effect'],
);

/** A1.5, A1.6. What an operator asks of its values is a rule over two fields. */
const REQUIREMENT: Schema = closed(
  {
    key: { ...text('qualified-name'), maxLength: 316 },
    operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'),
    values: listOf(text('label-value')),
    minValues: { type: 'integer', minimum: 1, maximum: 50 },
  },
  ['key', 'operator'],
);

const TEMPLATE_SPEC: Schema = closed(
  {
    nodeClassRef: closed({ group: text('api-group'), kind: TEXT, name: TEXT }, ['group', 'kind', 'name']),
    requirements: listOf(REQUIREMENT, { maxItems: 100 }),
    taints: listOf(TAINT),
    startupTaints: listOf(TAINT),
    expireAfter: { ...text('duration-or-never'), default: '720h' },
    terminationGracePeriod: text('duration'),
  },
  ['nodeClassRef', 'requirements'],
);

/** A1.14 to A1.18 */
const BUDGET: Schema = closed({
  nodes: { ...text('budget-nodes'), default: '10%' },
  reasons: listOf(oneOf(...REASONS), { maxItems: 50, uniqueItems: true }),
  schedule: text('cron-schedule'),
  duration: text('budget-duration'),
});

/** A1.11 to A1.14: `consolidateAfter` may be absent, as upstream's newest schema has it. */
const DISRUPTION: Schema = {
  ...closed({
    consolidateAfter: { ...text('duration-or-never'), default: '0s' },
    consolidationPolicy: {
      ...oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'),
      default: 'WhenEmptyOrUnderutilized',
    },
    budgets: { ...listOf(BUDGET, { maxItems: 50 }), default: [{ nodes: '10%' }] },
  }),
  default: { consolidateAfter: '0s' },
};

/** A1.1 to A1.21 */
export const NODE_POOL: Schema = resource(
  { apiVersion: 'karpenter.sh/v1', kind: 'NodePool' },
  {
    metadata: OBJECT_META,
    spec: closed(
      {
        template: closed(
          {
            metadata: closed({
              labels: { ...LABELS, maxProperties: 100 },
              annotations: { type: 'object', additionalProperties: STRING },
            }),
            spec: TEMPLATE_SPEC,
          },
          ['spec'],
        ),
        disruption: DISRUPTION,
        limits: mapOf('qualified-name', {
          type: ['string', 'integer'],
          format: 'quantity',
          minimum: 0,
          'x-kubernetes-int-or-string': true,
        }),
        weight: { type: 'integer', minimum: 1, maximum: 100 },
        replicas: COUNT,
      },
      ['template'],
    ),
  },
);
