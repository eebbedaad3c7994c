import { BOOTS, FAULT, QUOTA, THROTTLE } from './scenario-faults.ts';
import {
  CAPACITY_TYPES,
  DURATION,
  FOR,
  INSTANCE_TYPES,
  MAX_PODS,
  OF_NODE_POOL,
  POSITIVE,
  ZONES,
} from './scenario-fields.ts';
import { BOOLEAN, COUNT, closed, described, type Schema, TEXT, textSchema } from './schema.ts';

export const WORKLOAD: Schema = described(
  'The workload: StatefulSet/NAME, ReplicaSet/NAME or Deployment/NAME in the namespace default, or KIND/NAMESPACE/NAME.',
  textSchema('workload-reference'),
);

const SCALE = described(
  'Changes the replicas of a workload. Exactly one of deployment and workload names it.',
  closed(
    {
      workload: WORKLOAD,
      deployment: described(
        'The Deployment: its name in the namespace default, or namespace/name.',
        textSchema('object-reference'),
      ),
      replicas: described('The new number of replicas.', { ...COUNT, maximum: MAX_PODS }),
    },
    ['replicas'],
  ),
);

const DELETE_NODE = described(
  'Deletes a Node, as `kubectl delete node` does. Exactly one of the fields chooses it.',
  closed({
    name: described('The name of the Node.', TEXT),
    nodePool: described('Any Node of this NodePool; the seed chooses it.', TEXT),
    any: described('true: any Node; the seed chooses it.', BOOLEAN),
  }),
);

const INTERRUPT_SPOT = described(
  'EC2 interrupts running spot instances: it sends the warning, and terminates them two minutes later. The seed chooses among those that match all fields.',
  closed({
    nodePool: OF_NODE_POOL,
    zones: ZONES,
    instanceTypes: INSTANCE_TYPES,
    count: described('The number of instances. If fewer match, all of these. Default: 1.', POSITIVE),
  }),
);

const WITHOUT_CAPACITY = described(
  'EC2 refuses launches: it has no capacity for the offerings that match all fields. Running instances stay.',
  closed({ instanceTypes: INSTANCE_TYPES, zones: ZONES, capacityTypes: CAPACITY_TYPES, for: FOR }),
);

const ZONE_OUTAGE = described(
  'A zone fails. EC2 has no capacity there until the outage is over.',
  closed(
    {
      zone: described('The name of the zone, such as us-east-1a.', TEXT),
      for: FOR,
      nodes: described(
        'true: the instances of the zone lose power too. Their nodes become NotReady after 50 seconds, and their pods are evicted after their tolerations, as Kubernetes does. The status checks of the instances fail. When the outage is over, the instances that still exist start again. Default: false.',
        BOOLEAN,
      ),
    },
    ['zone'],
  ),
);

const DELETE_POD = described(
  'Deletes a pod with its grace period, as `kubectl delete pod` does.',
  closed(
    {
      pod: described('The pod: its name in the namespace default, or namespace/name.', textSchema('object-reference')),
    },
    ['pod'],
  ),
);

const RELEASE_IMAGES = described(
  'AWS publishes new images. An alias with @latest selects them from then on, so nodes with the old images drift.',
  closed({ version: described('The version of the images, such as v20260115.', TEXT) }, ['version']),
);

/** An event at the time `at`. Another rule requires exactly one of the other fields. */
export const SCENARIO_EVENT: Schema = {
  title: 'ScenarioManifestEvent',
  ...closed(
    {
      at: described('The time of the event from the start of the simulation, such as 10m.', DURATION),
      scale: SCALE,
      deleteNode: DELETE_NODE,
      interruptSpot: INTERRUPT_SPOT,
      withoutCapacity: WITHOUT_CAPACITY,
      zoneOutage: ZONE_OUTAGE,
      throttle: THROTTLE,
      boots: BOOTS,
      quota: QUOTA,
      fault: FAULT,
      deletePod: DELETE_POD,
      releaseImages: RELEASE_IMAGES,
    },
    ['at'],
  ),
};
