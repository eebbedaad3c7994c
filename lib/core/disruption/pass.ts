import { optional } from '../../apis/optional.ts';
import { withoutWaitingPods } from '../cluster/at-rest.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { once } from '../kept-answers.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Blocked, type Due, nextTick } from '../model/decision.ts';
import type { StoppedMethod } from '../model/disruption/pass-memory.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { MAX_PODS_FOR_FIRST_FIT } from '../scheduling/solve.ts';
import { withinEvictions } from './command/within-evictions.ts';
import { withinLimits } from './command/within-limits.ts';
import { withinProbes } from './command/within-probes.ts';
import { withoutRecovered } from './memory/failing-pools.ts';
import { withoutRejected } from './memory/rejected.ts';
import type { Method, Move, World } from './method.ts';
import { STEPS_OF_RUN, type StepLedger, stepLedger } from './step-ledger.ts';
import { worldsOf } from './world.ts';

/** What could not be read. A voluntary disruption waits for everything that could keep a node: budgets, buffers, nominations. */
export function unreadIn({ ignoredObjects = [] }: ClusterSnapshot): readonly Blocked[] {
  return ignoredObjects.filter(({ reason }) => reason === 'NotRead');
}

/** One look at the cluster. */
export interface Pass {
  readonly snapshot: ClusterSnapshot;
  readonly all: readonly StateNode[];
  /** The nodes, without the pods that do not keep a node (ignoreAtZero). */
  readonly nodes: readonly StateNode[];
  /** The names of nodes whose only pods can wait (ignoreAtZero). */
  readonly atRest: ReadonlySet<string>;
  readonly nowMs: number;
  /** Whether moves wait for the evictions of others, or because they save little. A plan has all moves, and says which would wait. @default true */
  readonly waits?: boolean;
  /** The steps that are left to the run. */
  readonly steps: StepLedger;
  /** The world outside these commands: their nodes are not candidates and count as being disrupted. Each world has its own ledgers, and a share of the steps. */
  worldBeside(commands: readonly DisruptionCommand[]): World;
  /** The same look, with pods packed as Karpenter packs them. *Shape:* undefined if the cluster has many pods, or if they are packed so. */
  firstFit(): Pass | undefined;
}

export interface PassContext {
  readonly nowMs: number;
  /** NodeClaims whose deletion was refused a short time ago. They are not candidates, so that the others are. @default none */
  readonly refused?: ReadonlySet<string>;
  /** The number of steps of the run. @default STEPS_OF_RUN */
  readonly steps?: number;
}

/**
 * *Cost:* O(nodes + claims + pods); `whatIf` is prepared when a method first calls it. @param steps of the run, if it has other passes
 */
export function passOver(
  snapshot: ClusterSnapshot,
  context: PassContext,
  steps: StepLedger = stepLedger(context.steps ?? STEPS_OF_RUN),
): Pass {
  const { nowMs, refused = new Set() } = context;
  const all = stateNodes(snapshot);
  const nodes = withoutWaitingPods(all, snapshot, nowMs);
  const atRest = new Set(all.flatMap(({ name }, index) => (nodes[index] === all[index] ? [] : [name])));
  const passIn = (seen: ClusterSnapshot): Pass => ({
    snapshot: seen,
    all,
    nodes,
    atRest,
    nowMs,
    steps,
    worldBeside: worldsOf(seen, { all, nodes, refused, nowMs, steps }),
    firstFit: once(() => {
      const { options = {}, pods } = seen;
      if (options.packing === 'first-fit' || pods.length > MAX_PODS_FOR_FIRST_FIT) return undefined;
      return passIn({ ...seen, options: { ...options, packing: 'first-fit' } });
    }),
  });
  const passMemory = withoutRecovered(snapshot);
  return passIn(passMemory === snapshot.passMemory ? snapshot : { ...snapshot, passMemory });
}

interface NamedProposal extends Pick<DisruptionCommand, 'method' | 'reason'>, Pick<Method, 'validateAfterMs'> {
  readonly moves: readonly Move[];
}

export interface FirstProposal {
  readonly proposal?: NamedProposal;
  readonly blocked: readonly Blocked[];
  readonly due: readonly Due[];
  /** The last method that was called, if it has not evaluated every candidate; and those that were not called, where they stopped earlier. */
  readonly stopped: readonly StoppedMethod[];
}

/**
 * E2: calls the methods in turn until one proposes a move that the limits of the NodePools and PodDisruptionBudgets have room for, or
 * has not evaluated every candidate: the next pass continues with it. *Shape:* includes the refusals and due times of all methods that were called.
 */
export function firstProposal(methods: readonly Method[], pass: Pass): FirstProposal {
  const { commands, passMemory, options = {} } = pass.snapshot;
  const waits = pass.waits !== false && options.lowScoreWaits === true;
  const blocked = new Map<string, Blocked>();
  const due: Due[] = [];
  const called = new Set<string>();
  for (const method of methods) {
    const { name, reason, validateAfterMs } = method;
    const stoppedAt = passMemory?.stopped.find((one) => one.method === name);
    const world = withoutRejected(pass.worldBeside(commands), method, passMemory);
    const found = method.propose({ ...world, waits, ...optional({ stoppedAt }) });
    const launchable = withinLimits(found.moves, pass);
    const { moves, over } =
      pass.waits === false ? { ...launchable, over: [] } : withoutWaiting(launchable.moves, reason, pass);
    // Two methods may refuse a node for the same reason. This counts as one refusal.
    for (const one of [...found.blocked, ...launchable.over, ...over]) blocked.set(JSON.stringify(one), one);
    due.push(...found.due, ...(over.length === 0 ? [] : [nextTick(pass.nowMs)]));
    const here = found.stopped === undefined ? [] : [{ method: name, ...found.stopped }];
    called.add(name);
    if (moves.length === 0 && here.length === 0) continue;
    const stopped = [...here, ...(passMemory?.stopped ?? []).filter(({ method: one }) => !called.has(one))];
    const proposal = moves.length === 0 ? undefined : { method: name, reason, moves, ...optional({ validateAfterMs }) };
    return { ...optional({ proposal }), blocked: [...blocked.values()], due, stopped };
  }
  return { blocked: [...blocked.values()], due, stopped: [] };
}

/** The moves that wait neither for evictions of other commands nor for a NodePool whose replacements fail. */
function withoutWaiting(
  moves: readonly Move[],
  reason: DisruptionCommand['reason'],
  pass: Pass,
): { readonly moves: readonly Move[]; readonly over: readonly Blocked[] } {
  const tried = withinProbes(moves, pass);
  const evicting = withinEvictions(tried.moves, { ...pass, reason });
  return { moves: evicting.moves, over: [...tried.over, ...evicting.over] };
}
