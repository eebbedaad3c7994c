import { counted } from '../../apis/counted.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { refusal } from '../model/refusal.ts';
import type { EvaluatedMove, Method, Move, World } from './method.ts';
import { firstProposal, passOver, unreadIn } from './pass.ts';

/** A command that the disruption function would propose. */
export interface PlannedCommand extends Move, Pick<DisruptionCommand, 'method' | 'reason'> {}

export interface DisruptionPlan {
  /** Valid together, in this order. */
  readonly commands: readonly PlannedCommand[];
  /** Why other nodes stay: the refusals of the last pass, in which no method proposes a move. */
  readonly blocked: readonly Blocked[];
  /** The nodes of the snapshot, and its claims without a node. */
  readonly nodes: readonly StateNode[];
  readonly nodePools: ClusterSnapshot['nodePools'];
}

/**
 * Returns the commands that the methods propose, one pass after the other, each in the cluster that the commands before it leave.
 * The budgets limit all commands together, and no pod is evicted twice. *Shape:* no commands, and what could not be read, if the
 * snapshot is incomplete. *Cost:* one pass more than there are passes with commands; each of these removes a node.
 */
export function planDisruption(methods: readonly Method[], snapshot: ClusterSnapshot, nowMs: number): DisruptionPlan {
  const { nodePools } = snapshot;
  const pass = passOver(snapshot, { nowMs });
  const nodes = pass.all;
  const unread = unreadIn(snapshot);
  if (unread.length > 0) return { commands: [], blocked: unread, nodes, nodePools };
  const promised = new Map<string, string>();
  const commands: PlannedCommand[] = [];
  for (let world = pass.worldBeside(snapshot.commands); ; ) {
    const all = withLaunched(nodes, world);
    const { proposal, blocked } = firstProposal(methods, { ...pass, all, worldBeside: () => keeping(promised, world) });
    if (proposal === undefined) return { commands, blocked, nodes, nodePools };
    const { method, reason, moves } = proposal;
    for (const move of moves) {
      commands.push({ ...move, method, reason });
      const evaluated = withTargets(move, world);
      for (const { stateNode } of evaluated.targets) promised.set(stateNode.name, sourcesOf(move));
      world = world.after(evaluated);
    }
  }
}

/** Promise 2: the nodes and the replacements of all commands, which count against limits together. */
function withLaunched(nodes: readonly StateNode[], { candidates }: World): readonly StateNode[] {
  const known = new Set(nodes.map(({ name }) => name));
  return [...nodes, ...candidates.nodes.filter(({ name }) => !known.has(name))];
}

/** The world, in which nodes to which pods would move are not candidates. */
function keeping(promised: ReadonlyMap<string, string>, world: World): World {
  const { candidates } = world;
  const judge: World['candidates']['judge'] = (stateNode, as) => {
    const from = promised.get(stateNode.name);
    return from === undefined
      ? candidates.judge(stateNode, as)
      : refusal('Nominated', `pods of ${from} would move to it`);
  };
  return { ...world, candidates: { ...candidates, judge } };
}

function sourcesOf({ candidates }: Move): string {
  const [first] = candidates;
  return candidates.length === 1 ? (first?.stateNode.name ?? '') : counted(candidates.length, 'removed node');
}

/** The move with the places of its pods. Drifted nodes accept none, because they are replaced soon. */
function withTargets(move: Move | EvaluatedMove, world: World): EvaluatedMove {
  if ('targets' in move) return move;
  const { candidates, replacements } = move;
  const gone = new Set(candidates.map(({ stateNode }) => stateNode.name));
  const onNew = new Set(replacements.flatMap(({ pods }) => pods));
  const isMoved = (pod: Pod): boolean => gone.has(pod.spec.nodeName ?? '') && !onNew.has(pod);
  const hasPods = candidates.some(({ stateNode }) => stateNode.pods.some(isMoved));
  const protectedNodes = new Set(
    world.candidates.nodes.flatMap(({ name, nodeClaim }) => (nodeClaim?.drift === undefined ? [] : [name])),
  );
  const places = hasPods ? world.whatIf([...gone], { protectedNodes }).existing : [];
  const targets = places.flatMap(({ stateNode, pods }) => {
    const moved = pods.filter(isMoved);
    return moved.length === 0 ? [] : [{ stateNode, pods: moved }];
  });
  const evictions = targets.reduce((sum, { pods }) => sum + pods.length, 0);
  return { ...move, targets, evictions, sourceUsdPerHour: 0, savingsUsdPerHour: 0 };
}
