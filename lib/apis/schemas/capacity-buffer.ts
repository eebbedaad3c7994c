import { CONDITIONS } from './conditions.ts';
import { AGE_COLUMN, type CustomResource } from './custom-resource.ts';
import { RESOURCE_AMOUNTS } from './node-claim-template.ts';
import { closed, described, INT32, INT64, type Schema, STRING, TEXT, withRules } from './schema.ts';

const COUNT: Schema = { ...INT32, minimum: 0 };
const NAME = described('The name of the PodTemplate.', TEXT);

/** A5.1 to A5.7 */
export const CAPACITY_BUFFER: CustomResource = {
  group: 'autoscaling.x-k8s.io',
  version: 'v1beta1',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  shortNames: ['cb'],
  category: 'autoscaling',
  scope: 'Namespaced',
  description: 'Room that is kept free for pods that do not exist yet.',
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
          'How the room is kept; Kerf knows buffer.x-k8s.io/active-capacity and leaves others alone.',
          STRING,
        ),
        default: 'buffer.x-k8s.io/active-capacity',
      },
      podTemplateRef: described(
        'The PodTemplate of this namespace that says how large one piece of the room is.',
        closed({ name: NAME }, ['name']),
      ),
      scalableRef: described(
        'The Deployment, StatefulSet or ReplicaSet of this namespace whose pods say how large one piece of the room is.',
        closed(
          {
            apiGroup: described('Its API group: apps.', STRING),
            kind: described('Its kind.', TEXT),
            name: described('Its name.', TEXT),
          },
          ['kind', 'name'],
        ),
      ),
      replicas: described('How many pieces there are to be.', COUNT),
      percentage: described(
        'How many pieces, as a percentage of the replicas that scalableRef has: rounded up, and at least one.',
        COUNT,
      ),
      limits: described('The most that all pieces may add up to, by resource.', RESOURCE_AMOUNTS),
    }),
    {
      rule: '!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)',
      message: 'has neither replicas nor limits beside it',
      allowed: 'replicas, limits or both beside podTemplateRef',
      fieldPath: '.podTemplateRef',
    },
    {
      rule: '!(has(self.podTemplateRef) && has(self.scalableRef))',
      message: 'stands beside podTemplateRef',
      allowed: 'podTemplateRef or scalableRef, not both',
      fieldPath: '.scalableRef',
    },
  ),
  status: closed({
    podTemplateRef: described('The PodTemplate that is in use.', closed({ name: NAME }, ['name'])),
    replicas: described('How many pieces there are.', INT32),
    podTemplateGeneration: described('The generation of the PodTemplate that was looked at last.', INT64),
    provisioningStrategy: described('How the room is kept.', STRING),
    conditions: CONDITIONS,
  }),
};
