import { counted } from '../../apis/counted.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { Blocked } from '../model/decision.ts';
import { NO_MEMORY, type PassMemory } from '../model/disruption/pass-memory.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { Refusal } from '../model/refusal.ts';
import { cheapestUsd } from '../scheduling/schedule.ts';
import { evictionLedger } from './command/within-evictions.ts';
import { probeLedger } from './command/within-probes.ts';
import { poolTotals } from './consolidation/balanced.ts';
import { whyPromised } from './consolidation/evolving.ts';
import { priceOf } from './cost.ts';
import type { EvaluatedMove, Method, Move, World } from './method.ts';
import { type FirstProposal, firstProposal, type Pass } from './pass.ts';
import { whyTooEarly } from './restraint/low-score.ts';
import { STEPS_OF_METHOD, shareOf } from './step-ledger.ts';

/** A command that the disruption function would propose. */
export interface PlannedCommand extends Move, Pick<DisruptionCommand, 'method' | 'reason'> {
  /** Why it would wait: for the evictions of the commands before it, because it saves little, or because replacements of its NodePool failed. @default it would not */
  readonly waitsFor?: Refusal;
}

/** What is proposed until no method proposes a move any more. */
export interface PlayedOut {
  /** Valid together, in this order. */
  readonly commands: readonly PlannedCommand[];
  /** Why other nodes stay: the refusals of the last pass, in which no method proposes a move. */
  readonly blocked: readonly Blocked[];
}

/**
 * Returns the commands that the methods propose, one pass after the other, each in the cluster that the commands before it leave.
 * The budgets limit all commands together, and no pod is evicted twice. If a plan without the optional methods saves more, or for few
 * pods one with Karpenter's packing, it is this plan. *Cost:* one pass more than there are passes with commands; each of these removes
 * a node. The same again if an optional method proposes a command, and for few pods.
 */
export function bestPlayOut(methods: readonly Method[], pass: Pass): PlayedOut {
  const all = playOut(methods, pass);
  const usesOptional = all.commands.some(({ method }) => isOptional(method, methods));
  const others = otherWays({ methods, pass }, { usesOptional, isWhole: true }).map((way) =>
    playOut(way.methods, way.pass),
  );
  return others.reduce<PlayedOut>((best, one) => (savesMore(one.commands, best.commands) ? one : best), all);
}

/**
 * As `firstProposal`, without the optional methods or with Karpenter's packing if such a plan saves more in the end. If the steps of the
 * run do not suffice to compare the plans, it is the first proposal. *Cost:* the steps of the run at most, and a few more passes.
 */
export function bestProposal(methods: readonly Method[], pass: Pass): FirstProposal {
  const first = firstProposal(methods, pass);
  const { proposal } = first;
  // Empty nodes are removed first in any plan.
  if (proposal?.reason === 'Empty') return first;
  const usesOptional = proposal !== undefined && isOptional(proposal.method, methods);
  const isWhole = first.stopped.length === 0;
  const others = otherWays({ methods, pass }, { usesOptional, isWhole })
    .map(played)
    .filter(({ plan }) => plan.isWhole && savesMore(plan.commands, proposal?.moves ?? []));
  if (others.length === 0) return first;
  const all = { found: first, plan: playOut(methods, pass, first) };
  if (!all.plan.isWhole) return first;
  return others.reduce((best, one) => (savesMore(one.plan.commands, best.plan.commands) ? one : best), all).found;
}

/** A way to make a plan. */
interface Way {
  readonly methods: readonly Method[];
  readonly pass: Pass;
}

interface Evaluated {
  readonly usesOptional: boolean;
  /** Whether every candidate was evaluated. A pass that continues in the next run is not made in a second way. */
  readonly isWhole: boolean;
}

/** E21: those that may save more: by replacing nodes by one new node at most, and with pods packed as Karpenter packs them. */
function otherWays({ methods, pass }: Way, { usesOptional, isWhole }: Evaluated): readonly Way[] {
  const required = methods.filter(isRequired);
  const firstFit = isWhole ? pass.firstFit() : undefined;
  return [
    ...(usesOptional ? [{ methods: required, pass }] : []),
    ...(firstFit === undefined ? [] : [{ methods: required, pass: firstFit }]),
  ];
}

function played({ methods, pass }: Way): { readonly found: FirstProposal; readonly plan: Played } {
  const found = firstProposal(methods, pass);
  return { found, plan: playOut(methods, pass, found) };
}

function isRequired(method: Method): boolean {
  return method.isOptional !== true;
}

function isOptional(name: DisruptionCommand['method'], methods: readonly Method[]): boolean {
  return methods.some((method) => method.name === name && !isRequired(method));
}

function savesMore(one: readonly Move[], other: readonly Move[]): boolean {
  return savingsOf(one) > savingsOf(other) + EPSILON;
}

const EPSILON = 1e-9;

function savingsOf(moves: readonly Move[]): number {
  return moves.reduce((sum, { candidates, replacements }) => sum + priceOf(candidates) - cheapestUsd(replacements), 0);
}

interface Played extends PlayedOut {
  /** Whether the steps of the run sufficed. */
  readonly isWhole: boolean;
}

/** @param first the proposal of the first pass */
function playOut(methods: readonly Method[], pass: Pass, first?: FirstProposal): Played {
  const promised = new Map<string, string>();
  const evictions = evictionLedger(pass.snapshot, pass.all);
  const probes = probeLedger(pass.snapshot, pass.nowMs);
  const commands: PlannedCommand[] = [];
  // A plan evaluates every candidate, in as many passes as it needs.
  let passMemory: PassMemory = { ...(pass.snapshot.passMemory ?? NO_MEMORY), stopped: [] };
  let earlier: readonly Blocked[] = [];
  let found = first;
  // E28: a move that waits is planned after the others, because the function proposes these before it.
  let waits = pass.snapshot.options?.lowScoreWaits === true;
  for (let world = pass.worldBeside(pass.snapshot.commands); ; ) {
    if (found === undefined) {
      if (pass.steps.left() < STEPS_OF_METHOD) return { commands, blocked: earlier, isWhole: false };
      const all = withLaunched(pass.all, world);
      const now = world;
      const snapshot = { ...pass.snapshot, passMemory };
      const worldBeside = (): World => keeping(promised, now.withSteps(shareOf(pass.steps)));
      found = firstProposal(methods, { ...pass, snapshot, all, waits, worldBeside });
    }
    const { proposal, blocked, stopped } = found;
    found = undefined;
    // After commands, the others begin again, so that the plan has the reason of each node that stays.
    passMemory = {
      ...passMemory,
      stopped: stopped.filter((one) => proposal === undefined || one.method === proposal.method),
    };
    if (proposal === undefined) {
      if (stopped.length > 0) earlier = [...earlier, ...blocked.filter(({ reason }) => reason !== 'NotEvaluated')];
      else if (waits) waits = false;
      else return { commands, blocked: [...earlier, ...blocked], isWhole: pass.steps.left() > 0 };
      continue;
    }
    earlier = [];
    const { method, reason, moves } = proposal;
    for (const move of moves) {
      const waitsFor = probes.whyWaiting(move) ?? evictions.whyWaiting(move, reason) ?? whySavesLittle(move, world);
      commands.push({ ...move, method, reason, ...optional({ waitsFor }) });
      evictions.take(move);
      probes.take(move);
      world.budgets.take(move.candidates, reason);
      const evaluated = withTargets(move, world);
      for (const { stateNode } of evaluated.targets) promised.set(stateNode.name, sourcesOf(move));
      world = world.after(evaluated, reason);
    }
  }
}

/** E28: why a move of consolidation would wait. */
function whySavesLittle(move: Move | EvaluatedMove, world: World): Refusal | undefined {
  const isScored = 'savingsUsdPerHour' in move && world.options.lowScoreWaits === true;
  return isScored ? whyTooEarly(move, poolTotals(world), world.nowMs) : undefined;
}

/** Promise 2: the nodes and the replacements of all commands, which count against limits together. */
function withLaunched(nodes: readonly StateNode[], { candidates }: World): readonly StateNode[] {
  const known = new Set(nodes.map(({ name }) => name));
  return [...nodes, ...candidates.nodes.filter(({ name }) => !known.has(name))];
}

/** The world for one method: nodes to which pods would move are not candidates, and a move that is dropped uses no budget. */
function keeping(promised: ReadonlyMap<string, string>, world: World): World {
  const { candidates, budgets } = world;
  const judge: World['candidates']['judge'] = (stateNode, as) => {
    const from = promised.get(stateNode.name);
    return from === undefined ? candidates.judge(stateNode, as) : whyPromised(from);
  };
  return { ...world, candidates: { ...candidates, judge }, budgets: budgets.copy() };
}

function sourcesOf({ candidates }: Move): string {
  const [first] = candidates;
  return candidates.length === 1 ? (first?.stateNode.name ?? '') : counted(candidates.length, 'removed node');
}

/**
 * The move with the places of its pods. Drifted nodes accept none, because they are replaced soon. If the move launches nothing, the
 * kube-scheduler binds the pods to any node that they may run on, whatever they prefer. @internal
 */
export function withTargets(move: Move | EvaluatedMove, world: World): EvaluatedMove {
  if ('targets' in move) return move;
  const { candidates, replacements } = move;
  const gone = new Set(candidates.map(({ stateNode }) => stateNode.name));
  const onNew = new Set(replacements.flatMap(({ pods }) => pods));
  const isMoved = (pod: Pod): boolean => gone.has(pod.spec.nodeName ?? '') && !onNew.has(pod);
  const hasPods = candidates.some(({ stateNode }) => stateNode.pods.some(isMoved));
  const protectedNodes = new Set(
    world.candidates.nodes.flatMap(({ name, nodeClaim }) => (nodeClaim?.drift === undefined ? [] : [name])),
  );
  const places = hasPods ? world.whatIf([...gone], { protectedNodes, launches: replacements.length > 0 }).existing : [];
  const targets = places.flatMap(({ stateNode, pods }) => {
    const moved = pods.filter(isMoved);
    return moved.length === 0 ? [] : [{ stateNode, pods: moved }];
  });
  const evictions = targets.reduce((sum, { pods }) => sum + pods.length, 0);
  return { ...move, targets, evictions, sourceUsdPerHour: 0, savingsUsdPerHour: 0 };
}
