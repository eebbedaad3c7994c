import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Node } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { sameContent } from '../canonical-json.ts';
import { type ConditionFinding, conditionsFrom, holds, readiness } from '../model/conditions.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../model/node-claim-record.ts';
import type { ObjectPatch } from '../model/object-patch.ts';
import { add, formatResources, type Resources, resourcesOf } from '../resources/resources.ts';
import { whyInvalid } from '../validation/node-pool.ts';
import { nodePoolHash } from './node-pool-hash.ts';
import { isSameGeneration, registrationHealth } from './registration-health.ts';

/** A NodePool with the objects from which its status is computed. */
export interface NodePoolState {
  readonly nodePool: NodePool;
  /** The NodeClass that it names. @default it does not exist */
  readonly nodeClass?: EC2NodeClass | undefined;
  /** The NodeClaims of this pool. */
  readonly records: readonly NodeClaimRecord[];
  /** By providerID. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** D31: whether static NodePools are supported. @default false */
  readonly staticCapacity?: boolean;
}

type Status = NonNullable<NodePool['status']>;

/** The annotations and status of a NodePool; undefined if the object has them already, so that nothing is written (A1.22–A1.27). */
export function decideNodePool(look: NodePoolState, nowMs: number): ObjectPatch<Status> | undefined {
  const { nodePool, nodeClass } = look;
  const { generation, annotations = {} } = nodePool.metadata;
  const before: Partial<Status> = nodePool.status ?? {};
  const observed = nodeClass?.metadata.generation;
  const sameGeneration = isSameGeneration(nodePool, nodeClass);
  const invalid = whyInvalid(nodePool);
  const gates = [validation(look, invalid), nodeClassReady(nodePool, nodeClass)];
  const health = registrationHealth({ nodePool, records: look.records, sameGeneration });
  const status: Status = {
    ...sumOf(look),
    ...optional({ nodeClassObservedGeneration: observed }),
    conditions: conditionsFrom(
      [...gates, readiness(gates), health],
      { conditions: before.conditions ?? [], generation },
      nowMs,
    ),
  };
  // The fields of an invalid NodePool may have no hash.
  const hash = invalid === undefined ? nodePoolHash(nodePool) : {};
  const patch = {
    ...(Object.entries(hash).some(([key, value]) => annotations[key] !== value) && { annotations: hash }),
    ...(!sameContent(status, before) && { status }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** A1.22: the launched NodeClaims that are not being deleted, with the capacity that their nodes report. */
function sumOf({ records, nodes }: NodePoolState): Pick<Status, 'nodes' | 'resources'> {
  const counted = records.filter((record) => instanceOf(record) !== undefined && record.deletion === undefined);
  const sum = add(...counted.map((record) => capacityOf(record, nodes)));
  return { nodes: counted.length, resources: { ...formatResources(sum), nodes: String(counted.length) } };
}

function capacityOf(record: NodeClaimRecord, nodes: ReadonlyMap<string, Node>): Resources {
  const instance = instanceOf(record);
  const reported = instance && nodes.get(providerIdOf(instance))?.status?.capacity;
  return reported === undefined ? record.holds : resourcesOf(reported);
}

/** A1.26. */
function validation({ nodePool, staticCapacity }: NodePoolState, invalid: string | undefined): ConditionFinding {
  const type = 'ValidationSucceeded';
  if (invalid !== undefined) return { type, status: 'False', reason: 'NodePoolValidationFailed', message: invalid };
  const { replicas } = nodePool.spec;
  if (replicas === undefined || staticCapacity === true) return holds(type);
  const message = `spec.replicas is ${replicas}, and the feature gate staticCapacity is off: turn it on, or create a NodePool without replicas to launch nodes for pending pods`;
  return { type, status: 'False', reason: 'StaticCapacityNotSupported', message };
}

/** A1.25: the readiness of its NodeClass. */
function nodeClassReady({ spec }: NodePool, nodeClass: EC2NodeClass | undefined): ConditionFinding {
  const type = 'NodeClassReady';
  const { name } = spec.template.spec.nodeClassRef;
  if (nodeClass === undefined) {
    const message = `EC2NodeClass ${name} does not exist: create it, or name another in spec.template.spec.nodeClassRef`;
    return { type, status: 'False', reason: 'NodeClassNotFound', message };
  }
  if (nodeClass.metadata.deletionTimestamp !== undefined) {
    return { type, status: 'False', reason: 'NodeClassTerminating', message: `EC2NodeClass ${name} is being deleted` };
  }
  const ready = nodeClass.status?.conditions?.find((one) => one.type === 'Ready');
  if (ready?.status === 'True') return holds(type);
  if (ready?.status !== 'False') {
    const message = `the readiness of EC2NodeClass ${name} is unknown: ${ready?.message ?? 'it has no status'}`;
    return { type, status: 'Unknown', reason: 'NodeClassReadinessUnknown', message };
  }
  const { reason = 'NodeClassNotReady', message = '' } = ready;
  return { type, status: 'False', reason, message };
}
