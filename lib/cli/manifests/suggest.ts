/** The name that was meant: the nearest of the known ones, if a slip of the fingers explains the difference. */
export function suggest(written: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((name) => ({ name, distance: editDistance(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(Math.min(name.length, written.length) / 4)))
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return nearest?.name;
}

/** Insertions, deletions, replacements and swaps of neighbours. *Cost:* O(length²), and long text is far from everything. */
export function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 8 || from.length > 80) return Number.POSITIVE_INFINITY;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const distances = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1)];
      row.push(Math.min(...distances, ...(swapped ? [at(beforeLast, j - 2) + 1] : [])));
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
