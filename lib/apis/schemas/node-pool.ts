import { AWS_WELL_KNOWN_LABELS } from '../labels.ts';
import { CONDITIONS } from './conditions.ts';
import { AGE_COLUMN, type CustomResource, READY_COLUMN } from './custom-resource.ts';
import {
  DURATION_OR_NEVER,
  EXPIRE_AFTER,
  keyRules,
  LABEL_TEXT,
  nodeClassRef,
  RESOURCE_AMOUNTS,
  requirements,
  STARTUP_TAINTS,
  TAINTS,
  TERMINATION_GRACE_PERIOD,
} from './node-claim-template.ts';
import {
  atomicListOf,
  closed,
  described,
  enumSchema,
  INT32,
  INT64,
  listOf,
  patternSchema,
  type Rule,
  type Schema,
  STRING_MAP,
  withRules,
} from './schema.ts';

/** A1.8: drift detection could not distinguish nodes of the old class from those of the new one. */
const SAME_CLASS_KIND: readonly Rule[] = ['group', 'kind'].map((field) => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: 'cannot change',
  allowed: 'a new NodePool',
  fieldPath: `.${field}`,
}));

const TEMPLATE_SPEC: Schema = described(
  'The specification of the nodes of this pool.',
  closed(
    {
      nodeClassRef: nodeClassRef(...SAME_CLASS_KIND),
      requirements: requirements({ mayNamePool: false }),
      taints: TAINTS,
      startupTaints: STARTUP_TAINTS,
      expireAfter: EXPIRE_AFTER,
      terminationGracePeriod: TERMINATION_GRACE_PERIOD,
    },
    ['nodeClassRef', 'requirements'],
  ),
);

/** A1.3, A1.4 */
const TEMPLATE_METADATA: Schema = described(
  'Labels and annotations of every node of the pool.',
  closed({
    labels: described('Labels of every NodeClaim and node, which pods can select.', {
      ...withRules(
        { type: 'object', additionalProperties: LABEL_TEXT, maxProperties: 100 },
        ...keyRules('x', { awsLabels: AWS_WELL_KNOWN_LABELS, mayNamePool: false }),
      ),
      'x-kubernetes-map-type': 'atomic',
    }),
    annotations: described('Annotations of every NodeClaim and node.', {
      ...STRING_MAP,
      'x-kubernetes-map-type': 'granular',
    }),
  }),
);

/** A1.14 to A1.18 */
const BUDGET: Schema = {
  title: 'DisruptionBudget',
  ...withRules(
    closed(
      {
        nodes: {
          ...described(
            'The maximum number of nodes that may be disrupted at the same time: a count or a percentage.',
            patternSchema(
              '^((100|[0-9]{1,2})%|[0-9]+)$',
              'a count or a percentage from 0% to 100% in quotes, such as "3" or "10%"',
            ),
          ),
          default: '10%',
        },
        reasons: {
          ...described(
            'The disruption reasons that the budget applies to. Default: all.',
            listOf(enumSchema('Underutilized', 'Empty', 'Drifted', 'Unhealthy'), { maxItems: 50 }),
          ),
          'x-kubernetes-list-type': 'set',
        },
        schedule: described(
          'When the budget takes effect: five cron fields in UTC, or @hourly, @daily, @weekly, @monthly, @annually. Default: always.',
          patternSchema(
            '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|([^\\n][^\\t\\n\\f\\r ]*[\\t\\f\\r ]){4}[^\\n]+$)',
            'five cron fields in UTC (minute, hour, day of month, month, day of week 0-6), such as "0 9 * * mon-fri", or @hourly, @daily, @weekly, @monthly or @annually',
          ),
        ),
        duration: described(
          'How long the budget is in effect after each time of the schedule, in hours and minutes.',
          patternSchema('^(([0-9]+[hm]|[0-9]+h[0-9]+m)(0s)?)$', 'hours and minutes, such as 30m, 8h or 1h30m'),
        ),
      },
      ['nodes'],
    ),
    {
      rule: 'has(self.schedule) == has(self.duration)',
      message: 'has only one of schedule and duration',
      allowed: 'both, such as schedule "0 9 * * mon-fri" and duration 8h, or neither',
    },
  ),
};

/** A1.11 to A1.14 */
const DISRUPTION: Schema = {
  ...described(
    'When nodes of this pool may be removed or replaced, and how many at the same time.',
    closed({
      consolidateAfter: {
        ...described(
          'How long a node must be unchanged before it may be consolidated. Never disables consolidation.',
          DURATION_OR_NEVER,
        ),
        default: '0s',
      },
      consolidationPolicy: {
        ...described(
          'Which nodes may be consolidated: only empty nodes, all nodes whose pods fit on other or cheaper nodes, or those where the savings outweigh the disruption.',
          enumSchema('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'),
        ),
        default: 'WhenEmptyOrUnderutilized',
      },
      budgets: {
        ...described('Limits on the number of nodes that may be disrupted. The strictest budget in effect applies.', {
          ...atomicListOf(BUDGET, { maxItems: 50 }),
        }),
        default: [{ nodes: '10%' }],
      },
    }),
  ),
  default: { consolidateAfter: '0s' },
};

/** A1.21: a pool of fixed size. */
const STATIC_RULES: readonly Rule[] = [
  {
    rule: 'has(self.replicas) == has(oldSelf.replicas)',
    message: 'cannot add or remove replicas after creation',
    allowed: 'a new NodePool',
  },
  {
    rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits)",
    message: 'may contain only nodes in a NodePool with replicas',
    allowed: 'only limits.nodes',
    fieldPath: '.limits',
  },
  {
    rule: '!has(self.replicas) || !has(self.weight)',
    message: 'cannot be set together with replicas',
    allowed: 'replicas or weight, not both',
    fieldPath: '.weight',
  },
];

/** A1.1 to A1.24 */
export const NODE_POOL_RESOURCE: CustomResource = {
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  category: 'karpenter',
  scope: 'Cluster',
  description: 'Defines the nodes that Kerf launches for unschedulable pods, and when it removes them.',
  columns: [
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.template.spec.nodeClassRef.name' },
    { name: 'Nodes', type: 'string', jsonPath: '.status.nodes' },
    READY_COLUMN,
    AGE_COLUMN,
    { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', priority: 1 },
    { name: 'CPU', type: 'string', jsonPath: '.status.resources.cpu', priority: 1 },
    { name: 'Memory', type: 'string', jsonPath: '.status.resources.memory', priority: 1 },
  ],
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
  spec: withRules(
    closed(
      {
        template: described(
          'The template of the nodes of this pool.',
          closed({ metadata: TEMPLATE_METADATA, spec: TEMPLATE_SPEC }, ['spec']),
        ),
        disruption: DISRUPTION,
        limits: described(
          'The maximum total of all nodes of the pool, by resource; `nodes` is their number.',
          RESOURCE_AMOUNTS,
        ),
        weight: {
          ...described('Pools with a higher weight are tried first. Default: 0.', INT32),
          minimum: 1,
          maximum: 100,
        },
        replicas: {
          ...described('A fixed number of nodes, regardless of pods.', INT64),
          minimum: 0,
          // The scale subresource has 32-bit integers.
          maximum: 2_147_483_647,
        },
      },
      ['template'],
    ),
    ...STATIC_RULES,
  ),
  status: closed({
    conditions: CONDITIONS,
    nodes: { ...described('The number of nodes of the pool.', INT64), default: 0 },
    resources: described('The total resources of the nodes of the pool.', RESOURCE_AMOUNTS),
    nodeClassObservedGeneration: described('The generation of the NodeClass that was last observed.', INT64),
  }),
};
