import { ALL_METHODS } from '../../core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../core/disruption/plan-disruption.ts';
import { instanceOf } from '../../core/model/node-claim-record.ts';
import { launchesIn } from '../../core/usage/seen-launches.ts';
import { readSnapshot } from '../../snapshot/read-snapshot.ts';
import { withOpenBudgets } from '../diff/open-budgets.ts';
import { clusterPrice } from '../plan/disruption/disruption-output.ts';
import { plannedEvictions, plannedSavings, surplusNodes } from '../plan/disruption/plan-totals.ts';
import { asDecided } from '../plan/planned-snapshot.ts';
import { totalUsd } from '../render/format-money.ts';
import type { ComparedHour } from './shadow-report.ts';

export interface StoredLook {
  readonly text: string;
  /** The key of the snapshot, for errors. */
  readonly name: string;
  /** Launches from this time on are of this look. */
  readonly sinceMs: number;
}

/**
 * The cluster of a stored snapshot, and what Kerf would make of it in the end: the surplus of static NodePools is deleted, and all
 * commands of disruption are carried out, as the budgets allow them one after the other. *Cost:* that of `planDisruption`.
 * *Errors:* BadInputError if the text is not a snapshot.
 */
export function compareHour({ text, name, sinceMs }: StoredLook): ComparedHour {
  const { snapshot, nowMs } = asDecided(readSnapshot({ readText: () => text }, { path: name, nowMs: 0 }));
  const plan = planDisruption(ALL_METHODS, withOpenBudgets(snapshot), nowMs);
  const { commands } = plan;
  const usdPerHour = clusterPrice(plan);
  const removed = commands.reduce((sum, { candidates }) => sum + candidates.length, surplusNodes(plan).length);
  const launched = commands.reduce((sum, { replacements }) => sum + replacements.length, 0);
  const nodes = snapshot.nodeClaims.flatMap((claim) => {
    const instance = instanceOf(claim);
    if (instance === undefined) return [];
    const { instanceType, capacityType, priceUsdPerHour } = instance;
    const { name: nodeClaim, nodeName: node = nodeClaim, createdAtMs } = claim;
    return [{ nodeClaim, node, createdAtMs, instanceType, capacityType, usdPerHour: priceUsdPerHour }];
  });
  return {
    atMs: nowMs,
    nodes,
    usdPerHour,
    launches: launchesIn(snapshot, sinceMs),
    planned: {
      nodes: nodes.length - removed + launched,
      usdPerHour: totalUsd([usdPerHour, -plannedSavings(plan)]),
      evictions: plannedEvictions(plan).length,
    },
  };
}
