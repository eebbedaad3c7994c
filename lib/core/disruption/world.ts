import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { simulationOf } from '../provisioning/what-if.ts';
import { budgetLedger } from './budget-ledger.ts';
import { bufferedNodes } from './buffered-nodes.ts';
import { candidateFor } from './candidates.ts';
import { nodesAfter } from './consolidation/nodes-after.ts';
import type { EvaluatedMove, World } from './method.ts';

/** The number of steps that the searches of one pass may take. */
const MAX_STEPS = 10_000;

interface Seen {
  readonly all: readonly StateNode[];
  /** The nodes, without the pods that do not keep a node (ignoreAtZero). */
  readonly nodes: readonly StateNode[];
  readonly refused: ReadonlySet<string>;
  readonly nowMs: number;
}

/** The world outside these commands: their nodes are not candidates and count as being disrupted. Each world has its own ledger. */
export function worldsOf(
  snapshot: ClusterSnapshot,
  { all, nodes, refused, nowMs }: Seen,
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
      ...simulation,
      buffered,
      leaving,
      nodePools: snapshot.nodePools,
      options: snapshot.options ?? {},
      nowMs,
      after: (move) => worldAfter(move, { world, all, snapshot }),
      steps: MAX_STEPS,
    };
    return world;
  };
}

interface Before extends Pick<Seen, 'all'> {
  readonly world: World;
  readonly snapshot: ClusterSnapshot;
}

function worldAfter(move: EvaluatedMove, { world: before, all: allBefore, snapshot }: Before): World {
  const { candidates, nowMs } = before;
  const all = nodesAfter(allBefore, move, nowMs);
  const world: World = {
    ...before,
    candidates: { ...candidates, nodes: nodesAfter(candidates.nodes, move, nowMs) },
    ...simulationOf(snapshot, nowMs, all),
    after: (next) => worldAfter(next, { world, all, snapshot }),
  };
  return world;
}
