export interface TableColumn {
  readonly title: string;
  /** Numbers are aligned right. */
  readonly align: 'left' | 'right';
}

/** The lines of a table with titles. Each column is as wide as its longest cell. */
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

/** A column, with the function that returns the cell of a row. */
export interface CellColumn<Row> extends TableColumn {
  readonly cell: (row: Row) => string;
  /** The order in which columns are omitted on a narrow terminal, from 1. @default never omitted */
  readonly spare?: number;
}

/** The table with as many columns as fit the width. */
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
