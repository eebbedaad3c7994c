import { counted } from '../../apis/counted.ts';
import { isStatic, type NodePool } from '../../apis/node-pool.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import { once } from '../kept-answers.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { parseResources } from '../resources/resources.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';
import { whyInvalid } from '../validation/node-pool.ts';
import { staticClaims } from './static-claims.ts';
import { unreadableClaimsOf } from './unreadable-claims.ts';

/** The nodes of a static NodePool: one with `spec.replicas`. */
export interface StaticCount {
  readonly replicas: number;
  /** NodeClaims that are not being deleted, and nodes and NodeClaims without a record that can be read. */
  readonly active: number;
  /** How many more NodeClaims `limits.nodes` allows, including those that are being deleted. */
  readonly room: number;
}

/**
 * *Shape:* undefined if the NodePool is not static, is being deleted, or is invalid (A1.26): its limits may be unreadable.
 * @param unrecorded its nodes and NodeClaims without a record that can be read
 */
export function staticCount(
  nodePool: NodePool,
  records: readonly NodeClaimRecord[],
  unrecorded = 0,
): StaticCount | undefined {
  const { name, deletionTimestamp } = nodePool.metadata;
  const { replicas, limits } = nodePool.spec;
  if (replicas === undefined || deletionTimestamp !== undefined || whyInvalid(nodePool) !== undefined) return undefined;
  const own = records.filter((one) => one.nodePool === name && one.releasedAtMs === undefined);
  const active = own.filter(({ deletion }) => deletion === undefined).length + unrecorded;
  const { nodes = Number.POSITIVE_INFINITY } = parseResources(limits);
  return { replicas, active, room: nodes - own.length - unrecorded };
}

/** D31: the number of NodeClaims to create. */
export function missingNodes({ replicas, active, room }: StaticCount): number {
  return Math.max(0, Math.min(replicas - active, room));
}

export interface StaticPlan {
  readonly claims: readonly PlannedNodeClaim[];
  readonly blocked: readonly Blocked[];
}

/**
 * D31: the NodeClaims that static NodePools lack, within `limits.nodes`, and why others are not created. *Shape:* none if the feature
 * gate is off. @param ofPods the claims for pods of the same decision, which hold instances of reservations
 */
export function planStatic(snapshot: ClusterSnapshot, ofPods: readonly PlannedNodeClaim[]): StaticPlan {
  const claims: PlannedNodeClaim[] = [];
  const blocked: Blocked[] = [];
  const views = snapshot.options?.staticCapacity === true ? snapshot.nodePools : [];
  const ofStatic = views.filter(({ nodePool }) => isStatic(nodePool));
  const nodes = once(() => stateNodes(snapshot));
  const planned = once(() => {
    const all = staticClaims({ nodePools: ofStatic, nodes: nodes(), options: snapshot.options ?? {} });
    for (const claim of ofPods) all.hold(claim);
    return all;
  });
  for (const view of ofStatic.toSorted((a, b) => compareText(a.nodePool.metadata.name, b.nodePool.metadata.name))) {
    const { nodePool } = view;
    const { name } = nodePool.metadata;
    const refuse = (why: Refusal): number =>
      blocked.push({ subject: { kind: 'Cluster', name: snapshot.cluster }, nodePool: name, ...why });
    const invalid = whyInvalid(nodePool);
    if (invalid !== undefined) refuse(refusal('NodePoolValidationFailed', invalid));
    const count = staticCount(nodePool, snapshot.nodeClaims, unrecordedNodesOf(name, { nodes: nodes(), snapshot }));
    if (count === undefined) continue;
    const [missing, limited] = [missingNodes(count), whyLimited(count)];
    if (limited !== undefined) refuse(limited);
    for (let index = 1; index <= missing; index += 1) {
      const claim = planned().next(view);
      if ('reason' in claim) {
        refuse(claim);
        break;
      }
      planned().hold(claim);
      claims.push({ ...claim, name: `planned-${name}-${index}` });
    }
  }
  return { claims, blocked };
}

/** Why the NodePool gets fewer nodes than it lacks. *Shape:* undefined if it gets all of them. */
function whyLimited({ replicas, active, room }: StaticCount): Refusal | undefined {
  const [missing, left] = [replicas - active, Math.max(0, room)];
  if (missing <= left) return undefined;
  const message = `limits.nodes leaves room for ${left} of ${counted(missing, 'missing node')}: raise it, or lower spec.replicas (${replicas})`;
  return refusal('LimitExceeded', message, { left, missing, replicas });
}

/**
 * Nodes that lifecycle is about to adopt, as after a migration or the loss of the table: without them, each would get a second node.
 * A NodeClaim whose record cannot be read may be that of one of these nodes.
 */
function unrecordedNodesOf(
  nodePool: string,
  { nodes, snapshot }: { readonly nodes: readonly StateNode[]; readonly snapshot: ClusterSnapshot },
): number {
  const own = nodes.filter((one) => one.nodePool === nodePool && one.nodeClaim === undefined && !one.deleting);
  return Math.max(own.length, unreadableClaimsOf(nodePool, snapshot));
}
