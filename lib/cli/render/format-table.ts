import { wrapText } from './wrap-text.ts';

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

export interface FittedTable {
  readonly titles: string;
  readonly rows: readonly string[];
  /** Names the columns that are left out, in lines of the width. */
  readonly note: readonly string[];
}

/** The table with as many columns as fit the width. Columns without any text are left out first, and are not named. */
export function formatTableWithin<Row>(
  columns: readonly CellColumn<Row>[],
  rows: readonly Row[],
  width: number,
): FittedTable {
  const isEmpty = ({ cell }: CellColumn<Row>): boolean => rows.every((row) => cell(row) === '');
  const spareOf = (column: CellColumn<Row>): number =>
    isEmpty(column) ? 0 : (column.spare ?? Number.POSITIVE_INFINITY);
  const steps = [-1, 0, ...new Set(columns.flatMap(({ spare }) => spare ?? []))].toSorted((a, b) => a - b);
  let kept = columns;
  let lines: readonly string[] = [];
  for (const spared of steps) {
    kept = columns.filter((column) => spareOf(column) > spared);
    lines = formatTable(
      kept,
      rows.map((row) => kept.map(({ cell }) => cell(row))),
    );
    if (lines.every((line) => line.length <= width)) break;
  }
  const [titles = '', ...others] = lines;
  return {
    titles,
    rows: others,
    note: noteOn(
      columns.filter((column) => !kept.includes(column) && !isEmpty(column)),
      width,
    ),
  };
}

function noteOn(omitted: readonly TableColumn[], width: number): readonly string[] {
  if (omitted.length === 0) return [];
  const names = omitted.map(({ title }) => title.trim()).join(', ');
  return wrapText(`(not shown at this width: ${names}; see --output json)`, width);
}
