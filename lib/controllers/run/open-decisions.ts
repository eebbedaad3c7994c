import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { Decision } from '../../core/model/decision.ts';
import { EpochMovedError } from '../../ports/errors.ts';
import { type ActPorts, carryOut } from './carry-out.ts';
import type { RecordsDecisions } from './ports.ts';

/** What finishing an open decision needs. */
export type SettlePorts = ActPorts & RecordsDecisions;

const MAX_TRIES = 5;

/** Two ticks would have finished it, if Kerf had not stood aside or been cut off from the cluster. */
const LAPSED_MS = 2 * MINUTE_MS;

/**
 * The epoch from which a run may observe: every decision up to it is carried out, so that what it decided is there to be
 * seen. Decisions that were recorded and then cut off are finished here. The epoch is read first: what is recorded after it
 * makes the run's own decision void.
 */
export async function settledEpoch(ports: SettlePorts, cluster: string): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const epoch = await ports.store.readEpoch(cluster);
    const open = await ports.store.openDecisions(cluster);
    if (open.length === 0) return epoch;
    for (const decision of open) await finishDecision(ports, decision);
  }
  throw new EpochMovedError(
    `cluster ${cluster}: others record decisions faster than they are carried out: look again later`,
  );
}

export async function finishDecision(ports: SettlePorts, decision: Decision): Promise<void> {
  await carryOut(ports, withoutLapsed(decision, ports.clock.now()));
  await ports.store.closeDecision(decision);
}

/**
 * That a node is not needed was true of the cluster of then: later it may be full, and is decided on anew. Claims that come
 * late are given up by lifecycle (D2).
 */
function withoutLapsed(decision: Decision, nowMs: number): Decision {
  if (nowMs < decision.atMs + LAPSED_MS) return decision;
  return { ...decision, actions: decision.actions.filter(({ kind }) => kind !== 'delete-node-claim') };
}
