import { drawLines } from '../pictures/draw-lines.ts';
import { COMPONENTS, totalOf } from './bill.ts';
import type { CostRow } from './cost-rows.ts';

const HEADS = ['scenario', ...COMPONENTS, 'total', 'target'];

/** The rows as a Markdown table: USD a month by component. */
export function costTable(rows: readonly CostRow[]): string {
  const lines = rows.map(({ says, bill, target }) => [
    says,
    ...COMPONENTS.map((component) => bill[component].toFixed(2)),
    `**${totalOf(bill).toFixed(2)}**`,
    target.toFixed(2),
  ]);
  const all = [HEADS, HEADS.map((_, index) => (index === 0 ? '---' : '---:')), ...lines];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** *Shape:* a sentence for each row above its target. */
export function missedTargets(rows: readonly CostRow[]): readonly string[] {
  return rows.flatMap(({ says, bill, target }) => {
    const total = totalOf(bill);
    return total > target ? [`${says}: ${total.toFixed(2)} USD a month, above the target of ${target.toFixed(2)}`] : [];
  });
}

/** Lambda's part has measured CPU time, so it differs between machines. *Units:* USD, and a share of the amount. */
const TOLERANCE = { usd: 0.1, share: 0.25 };

/** *Shape:* the cells in which the tables differ, except for differences of measured CPU time. */
export function differences(documented: string, measured: string): readonly string[] {
  const [before, now] = [documented, measured].map(cellsOf);
  const rows = new Set([...(before?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...rows].flatMap((row) =>
    HEADS.slice(1).flatMap((head, index) => {
      const [old, found] = [before?.get(row)?.[index], now?.get(row)?.[index]];
      if (old !== undefined && found !== undefined && isSame(head, old, found)) return [];
      return [`${row}, ${head}: the document has ${old ?? 'nothing'}, measured ${found ?? 'nothing'}`];
    }),
  );
}

function isSame(head: string, old: number, found: number): boolean {
  if (head !== 'Lambda' && head !== 'total') return Math.abs(old - found) < 0.005;
  return Math.abs(old - found) <= TOLERANCE.usd + TOLERANCE.share * old;
}

function cellsOf(table: string): ReadonlyMap<string, readonly number[]> {
  const rows = table.split('\n').slice(2);
  return new Map(
    rows.map((line) => {
      const [name = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [name, cells.map((cell) => Number(cell.replaceAll('*', '')))];
    }),
  );
}

/** The monthly cost of clusters in which nothing happens, by their nodes, as SVG. */
export function costPicture(rows: readonly CostRow[]): string {
  const lineOf = (name: string, usd: (row: CostRow) => number) => ({
    name,
    points: rows.flatMap((row) => (row.idleNodes === undefined ? [] : [{ x: row.idleNodes, y: usd(row) }])),
  });
  return drawLines({
    title: 'Cost of an idle cluster',
    unit: 'USD a month',
    across: 'nodes with 10 pods each; 5,000 are extrapolated',
    lines: [
      lineOf('all', ({ bill }) => totalOf(bill)),
      lineOf('Lambda', ({ bill }) => bill.Lambda),
      lineOf('reads of the table', ({ bill }) => bill.reads),
    ],
  });
}
