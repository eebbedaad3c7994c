import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { type Candidate, isCandidate } from '../../../lib/core/disruption/candidates.ts';
import type { World } from '../../../lib/core/disruption/method.ts';
import { STEPS_OF_RUN, stepLedger } from '../../../lib/core/disruption/step-ledger.ts';
import { worldsOf } from '../../../lib/core/disruption/world.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { NOW_MS } from '../../builders/times.ts';

/** The world of a pass over the snapshot, beside its commands. */
export function worldOf(snapshot: ClusterSnapshot, nowMs = NOW_MS): World {
  const nodes = stateNodes(snapshot);
  return worldsOf(snapshot, { all: nodes, nodes, refused: new Set(), nowMs, steps: stepLedger(STEPS_OF_RUN) })(
    snapshot.commands,
  );
}

/** The nodes with these names as candidates, in this order. */
export function candidatesOf(world: World, ...names: readonly string[]): readonly Candidate[] {
  return names.map((name) => {
    const stateNode = world.candidates.nodes.find((node) => node.name === name);
    const judged = stateNode === undefined ? undefined : world.candidates.judge(stateNode);
    if (!isCandidate(judged)) throw new Error(`${name} is not a candidate: ${JSON.stringify(judged)}`);
    return judged;
  });
}
