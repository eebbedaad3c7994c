/** The rows of the table: each scenario, and those that are calculated from two of them. */
import { type Bill, billOfUse, catalogueBill, fixedBill, scaled, sumOf } from './bill.ts';
import { COST_SCENARIOS, type CostScenario } from './cost-scenarios.ts';
import type { FixedParts } from './fixed-parts.ts';
import type { PlayedScenario } from './play.ts';

export interface CostRow {
  readonly says: string;
  readonly bill: Bill;
  readonly target: number;
  readonly before: number;
  /** The nodes of a cluster in which nothing happens. @default something happens */
  readonly idleNodes?: number | undefined;
}

export interface Played extends PlayedScenario {
  readonly name: string;
}

const CLUSTERS = 10;

/** *Shape:* a row for each scenario that was played; calculated rows if the scenarios were played that they need. */
export function costRows(played: readonly Played[], one: FixedParts, ten: FixedParts): readonly CostRow[] {
  const zero = played.find(({ name }) => name === 'zero');
  const rows = COST_SCENARIOS.flatMap((scenario): readonly CostRow[] => {
    const own = played.find(({ name }) => name === scenario.name);
    if (own === undefined) return [];
    const { says, target, before, idleNodes } = scenario;
    const bill = sumOf(
      sumOf(fixedBill(one), catalogueBill(own.catalogueRun, one)),
      usedBill(scenario, own, { zero, one }),
    );
    return [{ says, target, before, bill, idleNodes }];
  });
  return [...rows, ...fiveThousand(rows), ...furtherCluster(zero, one, ten)];
}

function usedBill(
  { timesADay, name, hours }: CostScenario,
  { use }: Played,
  { zero, one }: { readonly zero: Played | undefined; readonly one: FixedParts },
): Bill {
  const always = billOfUse(use, one);
  if (timesADay === undefined) return always;
  if (zero === undefined) throw new RangeError(`the scenario ${name} needs the scenario zero`);
  const share = (timesADay * hours) / 24;
  return sumOf(scaled(always, share), scaled(billOfUse(zero.use, one), 1 - share));
}

/** Of the two largest idle clusters, because the simulation of 50,000 pods takes too long. */
function fiveThousand(rows: readonly CostRow[]): readonly CostRow[] {
  const [small, large] = ['200 idle', '1,000 idle'].map((begin) => rows.find(({ says }) => says.startsWith(begin)));
  if (small === undefined || large === undefined) return [];
  const perNode = scaled(sumOf(large.bill, scaled(small.bill, -1)), 1 / 800);
  const bill = sumOf(large.bill, scaled(perNode, 4_000));
  return [
    { says: '5,000 idle nodes, extrapolated from 200 and 1,000', bill, target: 9.5, before: 133.88, idleNodes: 5_000 },
  ];
}

/** Ticks of different clusters rarely meet in one batch, so each cluster has its own invocations. */
function furtherCluster(zero: Played | undefined, one: FixedParts, ten: FixedParts): readonly CostRow[] {
  if (zero === undefined) return [];
  const fixed = scaled(sumOf(fixedBill(ten), scaled(fixedBill(one), -1)), 1 / (CLUSTERS - 1));
  const bill = sumOf(fixed, billOfUse(zero.use, one));
  return [
    { says: `each further cluster without nodes, of ${CLUSTERS} in a deployment`, bill, target: 1, before: 5.57 },
  ];
}
