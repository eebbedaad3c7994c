export interface TableColumn {
  readonly title: string;
  /** Numbers stand under each other by their end. */
  readonly align: 'left' | 'right';
}

/** Lines of a table with its titles, each column as wide as it must be. */
function formatTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => (row[index] ?? '').length)));
  return all.map((row) =>
    columns
      .map(({ align }, index) => {
        const cell = row[index] ?? '';
        return align === 'right' ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A column of a table of rows, with what it shows of each. */
export interface CellColumn<Row> extends TableColumn {
  readonly cell: (row: Row) => string;
  /** Left out where the terminal is narrow, from 1 on in this order. @default never */
  readonly spare?: number;
}

/** The table with as many columns as the width has room for. */
export function formatTableWithin<Row>(
  columns: readonly CellColumn<Row>[],
  rows: readonly Row[],
  width: number,
): readonly string[] {
  const steps = [0, ...new Set(columns.flatMap(({ spare }) => spare ?? []))].toSorted((a, b) => a - b);
  let lines: readonly string[] = [];
  for (const spared of steps) {
    const kept = columns.filter(({ spare = Number.POSITIVE_INFINITY }) => spare > spared);
    lines = formatTable(
      kept,
      rows.map((row) => kept.map(({ cell }) => cell(row))),
    );
    if (lines.every((line) => line.length <= width)) break;
  }
  return lines;
}
