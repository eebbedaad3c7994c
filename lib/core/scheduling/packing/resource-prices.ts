import type { Vector } from '../pools/resource-space.ts';

/** An instance type as a column of the linear program: its room and its price. */
export interface PriceColumn {
  readonly holds: Vector;
  readonly price: number;
}

/**
 * The worth of one unit of each resource in the cheapest fleet, with fractions of nodes allowed: the dual of
 * min Σ price·x  subject to  Σ holds·x ≥ demand.  Σ worth·demand is a lower bound of the fleet's price.
 * *Shape:* by resource; 0 if no column holds the resource, or if no pod requests it.
 * *Cost:* O(pivots × columns × resources). *Source:* Dantzig's simplex method on the dual, whose origin is feasible. It stops
 * after `maxPivots`, by default 400; the worths at that point are feasible too, so the bound holds but is less tight.
 */
export function resourcePrices(demand: Vector, columns: readonly PriceColumn[], maxPivots = MAX_PIVOTS): Vector {
  const width = demand.length;
  // One row for each type: Σ holds·worth ≤ price, scaled so that the largest coefficient of a resource is 1. The last row is
  // the objective; the last column is the right-hand side.
  const scale = new Float64Array(width);
  for (const { holds } of columns)
    for (let at = 0; at < width; at += 1) scale[at] = Math.max(scale[at] ?? 0, holds[at] ?? 0);
  const rows = columns.map(({ holds, price }) => {
    const row = new Float64Array(width + 1);
    for (let at = 0; at < width; at += 1) row[at] = (holds[at] ?? 0) / (scale[at] || 1);
    row[width] = price;
    return row;
  });
  const objective = new Float64Array(width + 1);
  for (let at = 0; at < width; at += 1) objective[at] = scale[at] === 0 ? 0 : -(demand[at] ?? 0) / (scale[at] ?? 1);
  const basis = rows.map((_, row) => width + row);
  const free = Array.from({ length: width }, (_, at) => at);
  for (let pivots = 0; pivots < maxPivots; pivots += 1) {
    const entering = enteringColumn(objective, free);
    const leaving = entering === undefined ? undefined : leavingRow(rows, entering, basis);
    if (entering === undefined || leaving === undefined) break;
    pivot([...rows, objective], leaving, entering);
    const [out, into] = [basis[leaving] ?? 0, free[entering] ?? 0];
    basis[leaving] = into;
    free[entering] = out;
  }
  const worth = new Float64Array(width);
  basis.forEach((variable, row) => {
    if (variable < width) worth[variable] = (rows[row]?.[width] ?? 0) / (scale[variable] || 1);
  });
  return worth;
}

const MAX_PIVOTS = 400;
const EPSILON = 1e-9;

/** The column with the steepest descent; ties by the first variable. */
function enteringColumn(objective: Float64Array, free: readonly number[]): number | undefined {
  let best: number | undefined;
  let lowest = -EPSILON;
  for (let column = 0; column < free.length; column += 1) {
    const value = objective[column] ?? 0;
    if (value < lowest) [best, lowest] = [column, value];
  }
  return best;
}

/** The row with the tightest constraint; ties by the first variable. */
function leavingRow(rows: readonly Float64Array[], entering: number, basis: readonly number[]): number | undefined {
  let best: number | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  rows.forEach((row, at) => {
    const coefficient = row[entering] ?? 0;
    if (coefficient <= EPSILON) return;
    const ratio = (row.at(-1) ?? 0) / coefficient;
    const isTie = ratio === lowest && best !== undefined && (basis[at] ?? 0) < (basis[best] ?? 0);
    if (ratio < lowest || isTie) [best, lowest] = [at, ratio];
  });
  return best;
}

/** Exchanges the variable of the row for that of the column, in the condensed tableau. */
function pivot(rows: readonly Float64Array[], leaving: number, entering: number): void {
  const pivotRow = rows[leaving];
  if (pivotRow === undefined) return;
  const by = pivotRow[entering] ?? 1;
  pivotRow[entering] = 1;
  for (let column = 0; column < pivotRow.length; column += 1) pivotRow[column] = (pivotRow[column] ?? 0) / by;
  for (const row of rows) {
    if (row === pivotRow) continue;
    const factor = row[entering] ?? 0;
    if (factor === 0) continue;
    row[entering] = 0;
    for (let column = 0; column < row.length; column += 1)
      row[column] = (row[column] ?? 0) - factor * (pivotRow[column] ?? 0);
  }
}
