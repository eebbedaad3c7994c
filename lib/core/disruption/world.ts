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
import { type StepLedger, shareOf } from './step-ledger.ts';

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
    const world: World = {
      candidates: { nodes, judge },
      budgets: budgetLedger(beside, nodes, nowMs),
      whatIf: simulation.whatIf,
      bounds: simulation.bounds,
      buffered,
      leaving,
      nodePools: snapshot.nodePools,
      options: snapshot.options ?? {},
      history: moveHistory(beside, nodes, nowMs),
      nowMs,
      after: (move, reason = 'Underutilized') => worldAfter(move, { world, all, simulation, reason }),
      steps: shareOf(steps),
    };
    return world;
  };
}

interface Before extends Pick<Seen, 'all'> {
  readonly world: World;
  readonly simulation: Simulation;
  readonly reason: DisruptionReason;
}

function worldAfter(
  move: EvaluatedMove,
  { world: before, all: allBefore, simulation: simulated, reason }: Before,
): World {
  const { candidates, nowMs } = before;
  const change = changeOf(move, nowMs);
  const all = nodesAfter(allBefore, change);
  const changed = all.filter(({ name }) => change.arriving.has(name));
  const simulation = simulated.after({ gone: change.gone, changed, added: change.added });
  const moved = reason === 'Underutilized' ? move.candidates.map(({ stateNode }) => stateNode) : [];
  const world: World = {
    ...before,
    candidates: { ...candidates, nodes: nodesAfter(candidates.nodes, change) },
    whatIf: simulation.whatIf,
    bounds: simulation.bounds,
    history: historyAfter(before.history, moved, nowMs),
    after: (next, why = 'Underutilized') => worldAfter(next, { world, all, simulation, reason: why }),
  };
  return world;
}
