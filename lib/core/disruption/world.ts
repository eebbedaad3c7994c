import type { DisruptionReason } from '../../apis/node-pool.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { type Simulation, simulationOf } from '../provisioning/what-if.ts';
import { budgetLedger } from './budget-ledger.ts';
import { bufferedNodes } from './buffered-nodes.ts';
import { candidateFor } from './candidates.ts';
import { changeOf, nodesAfter } from './consolidation/nodes-after.ts';
import type { EvaluatedMove, World } from './method.ts';
import { historyAfter, moveHistory } from './restraint/move-history.ts';
import { type StepLedger, shareOf, stepsOfPods } from './step-ledger.ts';

interface Seen {
  readonly all: readonly StateNode[];
  /** The nodes, without the pods that do not keep a node (ignoreAtZero). */
  readonly nodes: readonly StateNode[];
  readonly refused: ReadonlySet<string>;
  readonly nowMs: number;
  /** The steps of the run. */
  readonly steps: StepLedger;
}

/** The world outside these commands: their nodes are not candidates and count as being disrupted. Each world has its own ledgers. */
export function worldsOf(
  snapshot: ClusterSnapshot,
  { all, nodes, refused, nowMs, steps }: Seen,
): (commands: readonly DisruptionCommand[]) => World {
  const buffered = bufferedNodes(snapshot, nodes, nowMs);
  const leaving = new Set(snapshot.commands.flatMap(({ candidates }) => candidates.map(({ node }) => node)));
  const simulation = simulationOf(snapshot, nowMs, all);
  return (commands) => {
    const beside = { ...snapshot, commands };
    const judge: World['candidates']['judge'] = (stateNode, as = 'graceful') =>
      refused.has(stateNode.nodeClaim?.name ?? '')
        ? undefined
        : candidateFor(as, stateNode, { snapshot: beside, nowMs });
    const lasting: Lasting = {
      budgets: budgetLedger(beside, nodes, { nowMs }),
      buffered,
      leaving,
      nodePools: snapshot.nodePools,
      options: snapshot.options ?? {},
      nowMs,
    };
    const history = moveHistory(beside, nodes, nowMs);
    return worldIn({ lasting, candidates: { nodes, judge }, all, simulation, history }, shareOf(steps));
  };
}

/** What is the same after a move. */
type Lasting = Pick<World, 'budgets' | 'buffered' | 'leaving' | 'nodePools' | 'options' | 'nowMs'>;

interface State extends Pick<Seen, 'all'>, Pick<World, 'candidates' | 'history'> {
  readonly lasting: Lasting;
  readonly simulation: Simulation;
}

function worldIn(state: State, steps: StepLedger): World {
  const { lasting, candidates, history, simulation } = state;
  const { bounds, whatIf, others } = simulation;
  const stepsOfOthers = (): number => stepsOfPods(others());
  return {
    ...lasting,
    candidates,
    history,
    bounds,
    steps,
    stepsOfOthers,
    whatIf(gone, options) {
      steps.spend(stepsOfOthers());
      return whatIf(gone, options);
    },
    after: (move, reason = 'Underutilized') => worldIn(stateAfter(move, reason, state), steps),
    withSteps: (some) => worldIn(state, some),
  };
}

function stateAfter(move: EvaluatedMove, reason: DisruptionReason, state: State): State {
  const { lasting, candidates, all: before, simulation, history } = state;
  const { nowMs } = lasting;
  const change = changeOf(move, nowMs);
  const all = nodesAfter(before, change);
  const changed = all.filter(({ name }) => change.arriving.has(name));
  const moved = reason === 'Underutilized' ? move.candidates.map(({ stateNode }) => stateNode) : [];
  return {
    lasting,
    candidates: { ...candidates, nodes: nodesAfter(candidates.nodes, change) },
    all,
    simulation: simulation.after({ gone: change.gone, changed, added: change.added }),
    history: historyAfter(history, moved, nowMs),
  };
}
