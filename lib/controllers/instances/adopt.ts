import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { Blocked } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { type AdoptionLine, type ClusterInstance, planAdoption } from '../../core/node-claim/adoption/adoption-plan.ts';
import { portErrorOf, type UnreadableError } from '../../ports/errors.ts';
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

export interface AppliedAdoption extends Adoption {
  /** The number of adopted instances. */
  readonly adopted: number;
  /** The number of instances that could not be adopted. Their lines have the reason. */
  readonly failed: number;
}

/**
 * Tags the instances and writes the records. An instance without tags counts as terminated, so the tags are first. Repeatable.
 * *Shape:* an instance that cannot be tagged or recorded is left, with the reason, and the others are adopted.
 */
export async function applyAdoption(ports: AdoptionPorts, adoption: Adoption): Promise<AppliedAdoption> {
  const lines: AdoptionLine[] = [];
  let adopted = 0;
  let failed = 0;
  for (const line of adoption.lines) {
    const why = await failureToAdopt(ports, line);
    lines.push(
      why === undefined ? line : { ...line, outcome: { kind: 'left', reason: 'ActionRefused', message: why } },
    );
    if (why !== undefined) failed += 1;
    else if (line.outcome.kind === 'adopt') adopted += 1;
  }
  return { ...adoption, lines, adopted, failed };
}

/** *Shape:* undefined if the instance is adopted, or is not to be adopted. */
async function failureToAdopt(
  { cloud, store }: AdoptionPorts,
  { outcome, instanceId }: AdoptionLine,
): Promise<string | undefined> {
  if (outcome.kind !== 'adopt' || instanceId === undefined) return undefined;
  try {
    if (Object.keys(outcome.tags).length > 0) await cloud.tagAdoptedInstance(instanceId, outcome.tags);
    await store.createNodeClaim(outcome.record);
    return undefined;
  } catch (error) {
    return portErrorOf(error).message;
  }
}
