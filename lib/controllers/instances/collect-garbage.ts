import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Node } from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Action } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import {
  type FoundInstance,
  instanceOfNodeClaim,
  nodeOfNodeClaim,
} from '../../core/node-claim/adoption/claim-object.ts';
import {
  compareUnrecordedInstances,
  decideUnrecordedInstance,
  type UnrecordedInstance,
} from '../../core/node-claim/adoption/garbage.ts';
import { evidenceOfInstance } from '../../core/node-claim/adoption/instance-evidence.ts';
import { instanceOfLeftNode } from '../../core/node-claim/adoption/left-node.ts';
import { isGroupName, UNNAMED } from '../../core/node-claim/launch/launch-groups.ts';
import { isHeldByOthers } from '../../core/node-claim/mirror/held-by-others.ts';
import { UnreadableError } from '../../ports/errors.ts';
import type { NodeClaimList } from '../../ports/node-claim-store.ts';
import { refusalName } from '../act/action-subject.ts';
import { type SharedRead, sharedRead } from '../observe/shared-read.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { HasSettings, ReadsCluster } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';
import { recordOfClaim } from './record-of-claim.ts';

/**
 * Instances without a claim → adopted, terminated or reported. If EC2 no longer lists an instance, it is adopted from its NodeClaim
 * object, or from its Node: the claim is then released like any other whose instance has ended.
 */
export async function collectGarbage(work: ClusterWork<ReadsCluster & HasSettings>): Promise<readonly Error[]> {
  const { ports, cluster, world } = work;
  const { nodeClasses, nodes, mirrors } = world;
  // Without the objects of the cluster, an instance with a node would be taken for one without.
  if (world.instances.kind === 'unread' || nodeClasses.kind === 'unread') return [];
  if (nodes.kind === 'unread' || mirrors.kind === 'unread') return [];
  const unclaimed = world.instances.value.filter(({ id }) => !world.claimed.has(id));
  const ended = endedInstances(work, { nodes: nodes.value, mirrors: mirrors.value, instances: world.instances.value });
  if (unclaimed.length + ended.length === 0) return [];
  const nodePools = await ports.cluster.listNodePools();
  const catalogue = await world.catalogue();
  if (catalogue.kind === 'unread') return [];
  const objects = {
    cluster,
    nodePools,
    nodeClasses: nodeClasses.value,
    nodes: nodes.value,
    nodeClaims: mirrors.value,
    catalogue: catalogue.value,
    staticCapacity: ports.settings.featureGates.staticCapacity,
  };
  const unrecorded = [...unclaimed, ...ended]
    .map((instance): UnrecordedInstance => evidenceOfInstance(objects, instance))
    .toSorted(compareUnrecordedInstances);
  const nowMs = ports.clock.now();
  const claims = sharedRead(async () => ports.store.readNodeClaims(cluster));
  const { failures } = await eachClaim(byName(unrecorded), ports, async ({ name, instances }, aside) => {
    for (const found of instances) {
      // The list of claims is older than the list of instances. A strong read finds a record that was written in between.
      const record = isGroupName(name)
        ? await claimOfMember(work, found.instance, claims)
        : await recordOfClaim(ports.store, cluster, name);
      // It may be the claim of the instance. The list of claims has reported it.
      if (record === 'not-known' || record instanceof UnreadableError) continue;
      if (record !== undefined && ended.includes(found.instance)) continue;
      const { actions, blocked } = decideUnrecordedInstance({ ...found, record }, nowMs);
      const possible = actions.filter((action) => !wasJustRefused(work, action, nowMs));
      await applyVerdict(work, { name: found.instance.id, atMs: nowMs, aside }, { actions: possible, blocked });
    }
    return [];
  });
  return failures;
}

const REFUSED_MS = 30 * SECOND_MS;

/** Whether EC2 has just refused to terminate the instance: while launches wait for an answer, each run lists the instances again. */
function wasJustRefused({ ports: { refusals }, cluster }: ClusterWork, action: Action, nowMs: number): boolean {
  if (action.kind !== 'terminate-instance') return false;
  return refusals?.wasRefused(refusalName(cluster, action), nowMs - REFUSED_MS) ?? false;
}

interface NamedInstances {
  readonly name: string;
  readonly instances: readonly UnrecordedInstance[];
}

/** The instances of one claim are handled in their order: the first of them gets the claim. Each instance of a group may get one. */
function byName(unrecorded: readonly UnrecordedInstance[]): readonly NamedInstances[] {
  const sharing = Map.groupBy(unrecorded, ({ instance: { id, nodeClaim } }) =>
    isGroupName(nodeClaim) ? id : nodeClaim,
  );
  return [...sharing.values()].map((instances) => ({ name: instances[0]?.instance.nodeClaim ?? '', instances }));
}

/**
 * The claim that has an instance of a group. *Shape:* `not-known` while a claim of the group has no instance, or a claim cannot be read:
 * lifecycle assigns the instance. Undefined: no claim can get it.
 */
async function claimOfMember(
  { ports: { store }, cluster }: ClusterWork,
  { id, nodeClaim: group }: FoundInstance,
  claims: SharedRead<NodeClaimList>,
): Promise<NodeClaimRecord | 'not-known' | undefined> {
  // The claims are read after the list of instances, and the claim of the instance after them.
  const { records, unreadable } = await claims();
  const isAwaited = ({ launch }: NodeClaimRecord): boolean =>
    launch.kind === 'requested' && (group === UNNAMED || launch.request.nodeClaim === group);
  if (unreadable.length > 0 || records.some(isAwaited)) return 'not-known';
  const found = await store.findNodeClaim(id, (owner) => owner === cluster);
  return found === 'not-served' ? 'not-known' : found;
}

/** The instances of NodeClaim objects and Nodes that have no record, and which EC2 does not list, as after the table was restored. */
function endedInstances(
  { records, world: { claimed } }: ClusterWork<ReadsCluster & HasSettings>,
  {
    nodes,
    mirrors,
    instances,
  }: {
    readonly nodes: readonly Node[];
    readonly mirrors: readonly NodeClaim[];
    readonly instances: readonly { readonly id: string; readonly nodeClaim: string }[];
  },
): readonly FoundInstance[] {
  const known = new Set([...records.map(({ name }) => name), ...instances.map(({ nodeClaim }) => nodeClaim)]);
  const listed = new Set(instances.map(({ id }) => id));
  // The objects of released claims may be left.
  const ours = mirrors.filter((mirror) => !isHeldByOthers(mirror));
  const shown = new Set(ours.map(({ status }) => status?.providerID));
  const ofClaims = ours
    .filter(({ metadata }) => !known.has(metadata.name))
    .flatMap((mirror) => instanceOfNodeClaim(mirror, { node: nodeOfNodeClaim(nodes, mirror) }) ?? []);
  const ofNodes = nodes
    .filter(({ spec }) => !shown.has(spec?.providerID))
    .flatMap((node) => instanceOfLeftNode(node) ?? [])
    .filter(({ id }) => !claimed.has(id));
  return [...ofClaims, ...ofNodes].filter(({ id }) => !listed.has(id));
}
