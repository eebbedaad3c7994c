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
  INT32,
  INT64,
  listOf,
  matching,
  oneOf,
  type Rule,
  type Schema,
  STRING_MAP,
  withRules,
} from './schema.ts';

/** A1.8: drift could not tell the nodes of the old class from those of the new. */
const SAME_CLASS_KIND: readonly Rule[] = ['group', 'kind'].map((field) => ({
  rule: `self.${field} == oldSelf.${field}`,
  message: 'cannot change',
  allowed: 'a new NodePool',
  fieldPath: `.${field}`,
}));

const TEMPLATE_SPEC: Schema = described(
  'What the nodes of this pool are like.',
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
    labels: described('Labels of every NodeClaim and node; pods may select them.', {
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
            'How many of the nodes may be on their way out at one time: a count or a percentage, as text.',
            matching(
              '^((100|[0-9]{1,2})%|[0-9]+)$',
              'a count or a percentage from 0% to 100% as text, such as "3" or "10%"',
            ),
          ),
          default: '10%',
        },
        reasons: {
          ...described(
            'The reasons that the budget counts for; without them, all.',
            listOf(oneOf('Underutilized', 'Empty', 'Drifted', 'Unhealthy'), { maxItems: 50 }),
          ),
          'x-kubernetes-list-type': 'set',
        },
        schedule: described(
          'When the budget comes into force: five cron fields in UTC, or @hourly, @daily, @weekly, @monthly, @annually. Without it, always.',
          matching(
            '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly)|([^\\n][^\\t\\n\\f\\r ]*[\\t\\f\\r ]){4}[^\\n]+$)',
            'five cron fields in UTC (minute, hour, day of month, month, day of week 0-6), such as "0 9 * * mon-fri", or @hourly, @daily, @weekly, @monthly or @annually',
          ),
        ),
        duration: described(
          'How long the budget stays in force each time, in hours and minutes.',
          matching('^(([0-9]+[hm]|[0-9]+h[0-9]+m)(0s)?)$', 'hours and minutes only, such as 30m, 8h or 1h30m'),
        ),
      },
      ['nodes'],
    ),
    {
      rule: 'has(self.schedule) == has(self.duration)',
      message: 'has one of schedule and duration, and needs both or neither',
      allowed: 'schedule and duration, such as "0 9 * * mon-fri" and 8h, or neither',
    },
  ),
};

/** A1.11 to A1.14 */
const DISRUPTION: Schema = {
  ...described(
    'When nodes of this pool may be removed or replaced, and how many at a time.',
    closed({
      consolidateAfter: {
        ...described(
          'How long nothing must have changed on a node before it may be consolidated; Never switches consolidation off.',
          DURATION_OR_NEVER,
        ),
        default: '0s',
      },
      consolidationPolicy: {
        ...described(
          'Which nodes may be consolidated: the empty ones only, every one whose pods fit elsewhere or on something cheaper, or those where the saving outweighs the disturbance.',
          oneOf('WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'),
        ),
        default: 'WhenEmptyOrUnderutilized',
      },
      budgets: {
        ...described('How many nodes may be disrupted; where several are in force, the strictest counts.', {
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
    message: 'cannot get or lose replicas once it exists',
    allowed: 'a new NodePool',
  },
  {
    rule: "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits)",
    message: 'has no meaning in a NodePool with replicas, apart from nodes',
    allowed: 'limits.nodes only',
    fieldPath: '.limits',
  },
  {
    rule: '!has(self.replicas) || !has(self.weight)',
    message: 'has no meaning in a NodePool with replicas',
    allowed: 'replicas or weight, not both',
    fieldPath: '.weight',
  },
];

/** A1.1 to A1.24 */
export const NODE_POOL: CustomResource = {
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  category: 'karpenter',
  scope: 'Cluster',
  description: 'What nodes Kerf may launch for pods that do not fit, and when it may take them away again.',
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
          'The node that this pool makes.',
          closed({ metadata: TEMPLATE_METADATA, spec: TEMPLATE_SPEC }, ['spec']),
        ),
        disruption: DISRUPTION,
        limits: described(
          'The most that the nodes of the pool may add up to, by resource; `nodes` is their number.',
          RESOURCE_AMOUNTS,
        ),
        weight: {
          ...described('Pools with a higher weight are tried first; without one it is 0.', INT32),
          minimum: 1,
          maximum: 100,
        },
        replicas: {
          ...described('A fixed number of nodes, kept whatever the pods ask for.', INT64),
          minimum: 0,
          // The scale subresource counts in 32 bits.
          maximum: 2_147_483_647,
        },
      },
      ['template'],
    ),
    ...STATIC_RULES,
  ),
  status: closed({
    conditions: CONDITIONS,
    nodes: { ...described('How many nodes the pool has.', INT64), default: 0 },
    resources: described('What the nodes of the pool add up to.', RESOURCE_AMOUNTS),
    nodeClassObservedGeneration: described('The generation of the NodeClass that was looked at last.', INT64),
  }),
};
