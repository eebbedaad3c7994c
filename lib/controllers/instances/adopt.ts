import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { Blocked } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { type AdoptionLine, type ClusterInstance, planAdoption } from '../../core/node-claim/adoption/adoption-plan.ts';
import type { UnreadableError } from '../../ports/errors.ts';
import { observeOtherAutoscalers } from '../observe/observe-other-autoscalers.ts';
import type { HasClock, ReadsAutoMode, ReadsCatalogue, ReadsCluster, WritesClaims } from '../run/ports.ts';
import { recordOfClaim } from './record-of-claim.ts';

/** The ports of an adoption: it reads the cluster, reads and tags instances, and writes the table. */
export interface AdoptionPorts extends HasClock, ReadsCatalogue {
  readonly cluster: Pick<
    ReadsCluster['cluster'],
    'findOtherAutoscalers' | 'listAutoModePools' | 'listNodeClaims' | 'listNodes' | 'listNodePools' | 'listNodeClasses'
  >;
  readonly store: Pick<WritesClaims['store'], 'readNodeClaim' | 'createNodeClaim'>;
  readonly cloud: ReadsAutoMode['cloud'] & {
    /** Instances of the cluster that a NodePool launched, by any autoscaler. */
    clusterInstances(cluster: string): Promise<readonly ClusterInstance[]>;
    tagAdoptedInstance(instanceId: string, tags: Labels): Promise<void>;
  };
  /** Kerf's hash of the current NodeClass, as annotations. */
  readonly classHash: (nodeClass: EC2NodeClass) => Labels;
}

export interface Adoption {
  /** If another autoscaler is active, nothing is adopted. */
  readonly otherAutoscalers: readonly Blocked[];
  /** Signs of other autoscalers that do not count. @default none was found */
  readonly ignored?: Blocked;
  /** Signs of other autoscalers that could not be read. */
  readonly unknown: readonly Error[];
  readonly lines: readonly AdoptionLine[];
}

/** Plans the adoption of the nodes and NodeClaims of another autoscaler. Writes nothing. */
export async function observeAdoption(ports: AdoptionPorts, cluster: string): Promise<Adoption> {
  const [autoscalers, instances, nodeClaims, nodes, nodePools, nodeClasses, catalogue] = await Promise.all([
    observeOtherAutoscalers(ports, cluster),
    ports.cloud.clusterInstances(cluster),
    ports.cluster.listNodeClaims(),
    ports.cluster.listNodes(),
    ports.cluster.listNodePools(),
    ports.cluster.listNodeClasses(),
    ports.catalogue.readCatalogue(),
  ]);
  const names = new Set([...nodeClaims.map(({ metadata }) => metadata.name), ...instances.map((one) => one.nodeClaim)]);
  const records = await recordsOf(ports, cluster, names);
  const { classHash } = ports;
  const world = { cluster, instances, nodeClaims, nodes, nodePools, nodeClasses, catalogue, records, classHash };
  return { ...autoscalers, lines: planAdoption(world, ports.clock.now()) };
}

async function recordsOf(
  { store }: Pick<AdoptionPorts, 'store'>,
  cluster: string,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, NodeClaimRecord | UnreadableError>> {
  const records = new Map<string, NodeClaimRecord | UnreadableError>();
  for (const name of names) {
    const record = name === '' ? undefined : await recordOfClaim(store, cluster, name);
    if (record !== undefined) records.set(name, record);
  }
  return records;
}

/** Tags the instances and writes the records. An instance without tags counts as terminated, so the tags are first. Repeatable. *Shape:* the number of adopted instances. */
export async function applyAdoption(ports: AdoptionPorts, { lines }: Adoption): Promise<number> {
  let adopted = 0;
  for (const { outcome, instanceId } of lines) {
    if (outcome.kind !== 'adopt' || instanceId === undefined) continue;
    if (Object.keys(outcome.tags).length > 0) await ports.cloud.tagAdoptedInstance(instanceId, outcome.tags);
    await ports.store.createNodeClaim(outcome.record);
    adopted += 1;
  }
  return adopted;
}
