import { CONDITIONS } from './conditions.ts';
import { AGE_COLUMN, type CustomResource } from './custom-resource.ts';
import { RESOURCE_AMOUNTS } from './node-claim-template.ts';
import { closed, described, INT32, INT64, type Schema, STRING, TEXT, withRules } from './schema.ts';

const COUNT: Schema = { ...INT32, minimum: 0 };
const NAME = described('The name of the PodTemplate.', TEXT);

/** A5.1 to A5.7 */
export const CAPACITY_BUFFER_RESOURCE: CustomResource = {
  group: 'autoscaling.x-k8s.io',
  version: 'v1beta1',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  shortNames: ['cb'],
  category: 'autoscaling',
  scope: 'Namespaced',
  description: 'Spare capacity for pods that do not exist yet.',
  columns: [
    { name: 'Strategy', type: 'string', jsonPath: '.spec.provisioningStrategy' },
    { name: 'PodTemplate', type: 'string', jsonPath: '.status.podTemplateRef.name' },
    { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'ConditionsType', type: 'string', jsonPath: '.status.conditions[*].type' },
    { name: 'ConditionsStatus', type: 'string', jsonPath: '.status.conditions[*].status' },
    { name: 'ConditionsReason', type: 'string', jsonPath: '.status.conditions[*].reason' },
    AGE_COLUMN,
  ],
  spec: withRules(
    closed({
      provisioningStrategy: {
        ...described(
          'The strategy of the buffer. Kerf supports buffer.x-k8s.io/active-capacity and ignores buffers with other strategies.',
          STRING,
        ),
        default: 'buffer.x-k8s.io/active-capacity',
      },
      podTemplateRef: described(
        'The PodTemplate in this namespace that defines the size of one unit of spare capacity.',
        closed({ name: NAME }, ['name']),
      ),
      scalableRef: described(
        'The Deployment, StatefulSet or ReplicaSet in this namespace whose pods define the size of one unit of spare capacity.',
        closed(
          {
            apiGroup: described('Its API group: apps.', STRING),
            kind: described('Its kind.', TEXT),
            name: described('Its name.', TEXT),
          },
          ['kind', 'name'],
        ),
      ),
      replicas: described('The number of units.', COUNT),
      percentage: described(
        'The number of units as a percentage of the replicas of scalableRef: rounded up, and at least one.',
        COUNT,
      ),
      limits: described('The maximum total of all units, by resource.', RESOURCE_AMOUNTS),
    }),
    {
      rule: '!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)',
      message: 'needs replicas or limits',
      allowed: 'replicas, limits or both',
      fieldPath: '.podTemplateRef',
    },
    {
      rule: '!(has(self.podTemplateRef) && has(self.scalableRef))',
      message: 'cannot be set together with podTemplateRef',
      allowed: 'podTemplateRef or scalableRef, not both',
      fieldPath: '.scalableRef',
    },
  ),
  status: closed({
    podTemplateRef: described('The PodTemplate in use.', closed({ name: NAME }, ['name'])),
    replicas: described('The current number of units.', INT32),
    podTemplateGeneration: described('The generation of the PodTemplate that was last observed.', INT64),
    provisioningStrategy: described('The strategy of the buffer.', STRING),
    conditions: CONDITIONS,
  }),
};
