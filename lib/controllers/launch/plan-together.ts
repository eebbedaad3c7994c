import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { LaunchMarket } from '../../core/node-claim/launch/fleet-lines.ts';
import type { LaunchingClaim } from '../../core/node-claim/launch/launch-groups.ts';
import { withSubnets } from '../../core/node-claim/launch/subnet-batches.ts';
import { decideLifecycle } from '../../core/node-claim/lifecycle.ts';
import { inTurn } from '../../core/node-claim/turn.ts';
import { type ObservedClaims, viewOf } from '../observe/observe-claims.ts';
import { observeUnavailable } from '../observe/observe-unavailable.ts';
import { sharedRead } from '../observe/shared-read.ts';
import type { AdvanceRun } from './advance-claim.ts';

interface Planned extends LaunchingClaim {
  /** What the claim is launched with, if it is. */
  readonly market?: LaunchMarket;
}

/**
 * The next steps of claims of one class that are not launched. Their addresses are in flight from then on.
 * *Shape:* in turn, without those that must be decided alone.
 */
export async function planTogether(
  run: AdvanceRun,
  records: readonly NodeClaimRecord[],
  world: ObservedClaims,
): Promise<readonly LaunchingClaim[]> {
  const { ports, cluster } = run;
  const unavailable = sharedRead(async () => observeUnavailable(ports, cluster, world.readings));
  const inFlight = new Map(world.inFlight);
  const planned: Planned[] = [];
  for (const record of inTurn(records, ports.clock.now())) {
    const one = await plannedClaim(run, record, { ...world, unavailable, inFlight });
    if (one !== undefined) planned.push(one);
  }
  const market = planned.flatMap((one) => one.market ?? []).at(-1);
  const launches = market === undefined ? planned : withSubnets(planned, market, world.inFlight.values());
  for (const { record, verdict } of launches) world.inFlight.set(record.name, verdict.record);
  return launches;
}

/** *Shape:* undefined if it must be decided alone: a claim that cannot be decided does not stop the others. */
async function plannedClaim(
  { ports }: AdvanceRun,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<Planned | undefined> {
  try {
    const view = await viewOf(ports, record, world);
    if (view.kind === 'unread') return undefined;
    const { launchContext } = view.value;
    const verdict = decideLifecycle(view.value, ports.clock.now());
    const isKnown = launchContext !== undefined && 'resolved' in launchContext;
    return { record, verdict, ...(isKnown ? { market: launchContext } : {}) };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
