import { CAPACITY_TYPE, INSTANCE_TYPE, NODE_POOL, ZONE } from '../labels.ts';
import { CONDITIONS } from './conditions.ts';
import { AGE_COLUMN, type CustomResource, type PrinterColumn, READY_COLUMN } from './custom-resource.ts';
import {
  EXPIRE_AFTER,
  nodeClassRef,
  RESOURCE_AMOUNTS,
  requirements,
  STARTUP_TAINTS,
  TAINTS,
  TERMINATION_GRACE_PERIOD,
} from './node-claim-template.ts';
import { closed, DATE_TIME, described, STRING, withRules } from './schema.ts';

function labelColumn(name: string, label: string): PrinterColumn {
  return { name, type: 'string', jsonPath: `.metadata.labels.${label.replaceAll('.', '\\.')}` };
}

/** A2.1 to A2.7 */
export const NODE_CLAIM_RESOURCE: CustomResource = {
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  category: 'karpenter',
  scope: 'Cluster',
  description: 'An instance that Kerf launches, from the decision to launch it until its termination.',
  columns: [
    labelColumn('Type', INSTANCE_TYPE),
    labelColumn('Capacity', CAPACITY_TYPE),
    labelColumn('Zone', ZONE),
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName' },
    READY_COLUMN,
    AGE_COLUMN,
    { name: 'ImageID', type: 'string', jsonPath: '.status.imageID', priority: 1 },
    { name: 'ID', type: 'string', jsonPath: '.status.providerID', priority: 1 },
    { ...labelColumn('NodePool', NODE_POOL), priority: 1 },
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.nodeClassRef.name', priority: 1 },
    { name: 'Drifted', type: 'string', jsonPath: '.status.conditions[?(@.type=="Drifted")].status', priority: 1 },
  ],
  spec: withRules(
    closed(
      {
        nodeClassRef: nodeClassRef(),
        requirements: requirements({ mayNamePool: true }),
        resources: described(
          'The resources that the instance must provide.',
          closed({ requests: described('Amounts by resource.', RESOURCE_AMOUNTS) }),
        ),
        taints: TAINTS,
        startupTaints: STARTUP_TAINTS,
        expireAfter: EXPIRE_AFTER,
        terminationGracePeriod: TERMINATION_GRACE_PERIOD,
      },
      ['nodeClassRef', 'requirements'],
    ),
    { rule: 'self == oldSelf', message: 'cannot change', allowed: 'a new NodeClaim' },
  ),
  status: closed({
    nodeName: described('The name of the node.', STRING),
    providerID: described('The provider id of the instance: aws:///ZONE/INSTANCE.', STRING),
    imageID: described('The AMI of the instance.', STRING),
    capacity: described('The capacity of the instance.', RESOURCE_AMOUNTS),
    allocatable: described('The part of the capacity that is available to pods.', RESOURCE_AMOUNTS),
    conditions: CONDITIONS,
    lastPodEventTime: described('The last time a pod was added to the node or removed from it.', DATE_TIME),
  }),
};
