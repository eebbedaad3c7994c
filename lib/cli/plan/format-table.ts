export interface Column {
  readonly title: string;
  /** Numbers stand under each other by their end. */
  readonly align: 'left' | 'right';
}

/** Lines of a table with its titles, each column as wide as it must be. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
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
