import { ALL_METHODS } from '../../core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../core/disruption/plan-disruption.ts';
import { instanceOf } from '../../core/model/node-claim-record.ts';
import { launchesIn } from '../../core/usage/seen-launches.ts';
import { readSnapshot } from '../../snapshot/read-snapshot.ts';
import { withOpenBudgets } from '../diff/open-budgets.ts';
import { clusterPrice, savings } from '../plan/disruption/disruption-output.ts';
import { evictionsOf } from '../plan/disruption/render-commands.ts';
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
 * The cluster of a stored snapshot, and what Kerf would make of it in the end: all commands of disruption, as the budgets allow them one
 * after the other. *Cost:* that of `planDisruption`. *Errors:* BadInputError if the text is not a snapshot.
 */
export function compareHour({ text, name, sinceMs }: StoredLook): ComparedHour {
  const { snapshot, nowMs } = asDecided(readSnapshot({ readText: () => text }, { path: name, nowMs: 0 }));
  const plan = planDisruption(ALL_METHODS, withOpenBudgets(snapshot), nowMs);
  const { commands } = plan;
  const usdPerHour = clusterPrice(plan);
  const removed = commands.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const launched = commands.reduce((sum, { replacements }) => sum + replacements.length, 0);
  const byName = new Map(plan.nodes.map((node) => [node.name, node]));
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
      usdPerHour: totalUsd([usdPerHour, -savings(commands)]),
      evictions: evictionsOf(commands, (one) => byName.get(one)).length,
    },
  };
}
