import { counted } from '../../../apis/counted.ts';
import { isStatic } from '../../../apis/node-pool.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import type { NodePoolView } from '../../model/cluster-snapshot.ts';
import type { Blocked } from '../../model/decision.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { staticCount } from '../../provisioning/static-capacity.ts';
import { type StaticClaims, staticClaims } from '../../provisioning/static-claims.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import { blockedNode, retryTimes } from '../budget-ledger.ts';
import type { Candidate } from '../candidates.ts';
import type { Method, Move, World } from '../method.ts';
import { driftedAmong, hasDrifted, nodesOf } from './drift.ts';

/**
 * Replaces each drifted node of a static NodePool by a new node of the NodePool, while budgets and `limits.nodes` leave room.
 * *Source:* E31.
 */
export const staticDrift: Method = {
  name: 'static-drift',
  reason: 'Drifted',
  validateAfterMs: 0,
  placesPods: hasDrifted,
  propose(world) {
    const { moves, blocked } = replacements(driftedAmong(world.candidates.nodes, world, isOfStatic), world);
    return { moves, blocked, due: retryTimes(blocked, world) };
  },
  validate(command, world) {
    const { moves } = replacements(driftedAmong(nodesOf(command, world), world, isOfStatic), world);
    return moves[0];
  },
};

function isOfStatic({ nodePool }: Pick<Candidate, 'nodePool'>): boolean {
  return isStatic(nodePool);
}

function replacements(
  { candidates, refused }: { readonly candidates: readonly Candidate[]; readonly refused: readonly Blocked[] },
  world: World,
): { readonly moves: readonly Move[]; readonly blocked: readonly Blocked[] } {
  const moves: Move[] = [];
  const blocked: Blocked[] = [...refused];
  const all = world.candidates.nodes;
  const records = recordsOf(all);
  // The new nodes take the places of the nodes that commands replace, and limits count both.
  const left = recordsOf(all.filter(({ replaced }) => replaced !== true));
  const used = new Map<string, number>();
  // B59, E20: other capacity may replace reserved capacity that other claims hold.
  const options = { ...world.options, reservedFallback: true };
  const nodePools = world.nodePools.filter(isOfStatic);
  const claims = staticClaims({ nodePools, nodes: all, options });
  for (const candidate of candidates) {
    const pool = candidate.nodePool.metadata.name;
    const claim = replacementIn(candidate, { records, left, planned: used.get(pool) ?? 0, claims }, world);
    if ('reason' in claim) {
      blocked.push(blockedNode(candidate.stateNode, claim));
      continue;
    }
    const { within, over } = world.budgets.take([candidate], 'Drifted');
    blocked.push(...over);
    if (within.length === 0) continue;
    used.set(pool, (used.get(pool) ?? 0) + 1);
    claims.hold(claim);
    moves.push({ candidates: within, replacements: [claim] });
  }
  return { moves, blocked };
}

interface Places {
  readonly records: readonly NodeClaimRecord[];
  /** Those that no command replaces. */
  readonly left: readonly NodeClaimRecord[];
  readonly planned: number;
  readonly claims: StaticClaims;
}

/** The new node for a drifted one, if the NodePool has room for `planned` others and this one. */
function replacementIn(
  { nodePool }: Candidate,
  { records, left, planned, claims }: Places,
  world: World,
): PlannedNodeClaim | Refusal {
  const { name } = nodePool.metadata;
  const view: NodePoolView = world.nodePools.find((one) => one.nodePool === nodePool) ?? {
    nodePool,
    instanceTypes: [],
  };
  // A1.26: the limits of an invalid NodePool may be unreadable.
  if (view.unusable !== undefined) return claims.next(view);
  const count = staticCount(nodePool, records);
  const rest = staticCount(nodePool, left);
  if (count === undefined || rest === undefined) return refusal('Deleting', `NodePool ${name} is being deleted`);
  const { replicas, room } = count;
  const { active } = rest;
  if (world.options.staticCapacity !== true)
    return refusal(
      'StaticCapacityNotSupported',
      `NodePool ${name} has spec.replicas, and the feature gate staticCapacity is off`,
    );
  // The nodes beyond the replicas go first, and a drifted one may be among them.
  if (active > replicas)
    return refusal(
      'StaticCapacity',
      `NodePool ${name} has ${counted(active, 'node')}, and spec.replicas is ${replicas}`,
      {
        nodes: active,
        replicas,
      },
    );
  if (room > planned) return claims.next(view);
  const message = `limits.nodes of NodePool ${name} leaves no room for a new node: raise it above spec.replicas (${replicas})`;
  return refusal('LimitExceeded', message, { left: Math.max(0, room - planned), replicas });
}

function recordsOf(nodes: readonly StateNode[]): readonly NodeClaimRecord[] {
  return nodes.flatMap(({ nodeClaim }) => nodeClaim ?? []);
}
