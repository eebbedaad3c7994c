/** The same facts of what a plan shows and of what a function decides. */
import { totalUsd } from '../../../lib/cli/render/format-money.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { at, listAt, textAt } from '../../stack/json.ts';

/** A new NodeClaim. */
export interface Planned {
  readonly nodePool: string;
  readonly pods: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly cheapest: readonly unknown[];
  readonly labels: unknown;
  readonly spec: unknown;
}

function byPods(claims: readonly Planned[]): readonly Planned[] {
  return claims.toSorted((a, b) => (a.pods.join() < b.pods.join() ? -1 : 1));
}

/** The NodeClaims in the list of a plan. */
export function planned(plan: unknown, list: string): readonly Planned[] {
  return byPods(
    listAt(plan, list).map((claim) => ({
      nodePool: textAt(claim, 'nodePool'),
      pods: listAt(claim, 'pods').map(String).toSorted(),
      instanceTypes: listAt(claim, 'launch', 'instanceTypes').map(String),
      cheapest: ['type', 'zone', 'capacityType', 'price'].map((key) => at(claim, 'launch', 'cheapestOffering', key)),
      labels: at(claim, 'nodeClaim', 'labels'),
      spec: at(claim, 'nodeClaim', 'spec'),
    })),
  );
}

/** The NodeClaims that actions create. */
export function created(actions: readonly Action[]): readonly Planned[] {
  return byPods(
    actions.flatMap((action): readonly Planned[] => {
      if (action.kind !== 'create-node-claim') return [];
      const { nodePool, pods, options, labels, spec } = action.nodeClaim;
      const [first] = options;
      return [
        {
          nodePool,
          pods: [...pods].toSorted(),
          instanceTypes: [...new Set(options.map(({ instanceType }) => instanceType))],
          cheapest: [first?.instanceType, first?.zone, first?.capacityType, first?.priceUsdPerHour],
          labels,
          spec,
        },
      ];
    }),
  );
}

/** A command of disruption. */
export interface Started {
  readonly method: string;
  readonly nodes: readonly string[];
  /** Of the replacements. */
  readonly prices: readonly number[];
  readonly savingUsdPerHour: number | undefined;
}

/** The commands that actions start. */
export function startedBy(actions: readonly Action[]): readonly Started[] {
  return actions.flatMap((action): readonly Started[] => {
    if (action.kind !== 'start-disruption') return [];
    const { method, candidates, replacements, savingUsdPerHour } = action.command;
    const prices = replacements.map(({ priceUsdPerHour }) => priceUsdPerHour);
    // A plan shows billionths of a dollar, without the rounding errors of the sum.
    const saving = savingUsdPerHour === undefined ? undefined : totalUsd([savingUsdPerHour]);
    return [{ method, nodes: candidates.map(({ node }) => node), prices, savingUsdPerHour: saving }];
  });
}

/** A node in the JSON output of `kerf diff`. */
export function nodeText(node: unknown): string {
  return ['nodePool', 'instanceType', 'zone', 'capacityType', 'usdPerHour']
    .map((key) => String(at(node, key)))
    .join(' ');
}

/** The same for a NodeClaim. */
export function claimText({ nodePool, cheapest: [type, zone, capacityType, price] }: Planned): string {
  return [nodePool, type, zone, capacityType, price].map(String).join(' ');
}
