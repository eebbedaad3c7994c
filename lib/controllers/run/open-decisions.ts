import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { Decision } from '../../core/model/decision.ts';
import { EpochMovedError } from '../../ports/errors.ts';
import { type ActPorts, carryOut } from './carry-out.ts';
import type { RecordsDecisions } from './ports.ts';

/** What finishing an open decision needs. */
export type SettlePorts = ActPorts & RecordsDecisions;

const MAX_TRIES = 5;

/** A decision is older than two ticks only if Kerf was on standby or could not reach the cluster. */
const OUTDATED_MS = 2 * MINUTE_MS;

/**
 * Finishes open decisions. *Shape:* an epoch from which the run can observe: every decision up to it is carried out, and its
 * results can be observed. The epoch is read first, so that a decision that is recorded later invalidates the decision of this
 * run.
 */
export async function settledEpoch(ports: SettlePorts, cluster: string): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const epoch = await ports.store.readEpoch(cluster);
    const open = await ports.store.openDecisions(cluster);
    if (open.length === 0) return epoch;
    for (const decision of open) await finishDecision(ports, decision);
  }
  throw new EpochMovedError(
    `cluster ${cluster}: other runs record decisions faster than they are carried out: try again later`,
  );
}

export async function finishDecision(ports: SettlePorts, decision: Decision): Promise<void> {
  await carryOut(ports, withoutOutdated(decision, ports.clock.now()));
  await ports.store.closeDecision(decision);
}

/**
 * An old decision does not delete NodeClaims, because their nodes may have pods now; disruption decides again. Lifecycle
 * gives up claims that are created late (D2).
 */
function withoutOutdated(decision: Decision, nowMs: number): Decision {
  if (nowMs < decision.atMs + OUTDATED_MS) return decision;
  return { ...decision, actions: decision.actions.filter(({ kind }) => kind !== 'delete-node-claim') };
}
