/** Longer text is not a misspelt name. */
const LONGEST = 80;
const FURTHEST_LENGTH = 8;

/**
 * Returns the most similar known name, if the edit distance is small enough for a typing mistake.
 * *Cost:* O(names), and O(length²) for those of about the same length.
 */
export function suggest(written: string, names: readonly string[]): string | undefined {
  if (written.length > LONGEST) return undefined;
  const wanted = written.toLowerCase();
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const most = Math.min(least, Math.max(1, Math.floor(Math.min(name.length, written.length) / 4)));
    if (Math.abs(name.length - written.length) > most) continue;
    const known = name.toLowerCase();
    if (lacksMore(wanted, known, most)) continue;
    const distance = distanceWithin(wanted, known, most);
    if (distance > most || (distance === least && nearest !== undefined && name >= nearest)) continue;
    [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Each character that the other name lacks is at least one edit. This cheap test excludes most names. */
function lacksMore(from: string, to: string, most: number): boolean {
  let lacking = 0;
  for (let i = 0; i < from.length && lacking <= most; i += 1) if (!to.includes(from.charAt(i))) lacking += 1;
  return lacking > most;
}

/** Counts insertions, deletions, replacements and swaps of neighbours. *Cost:* O(length²); infinite for long text. */
export function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > FURTHEST_LENGTH || from.length > LONGEST) return Number.POSITIVE_INFINITY;
  return distanceWithin(from, to, Number.POSITIVE_INFINITY);
}

/** Infinite if the distance exceeds `most`. Two consecutive rows must exceed it, because a swap skips one. */
function distanceWithin(from: string, to: string, most: number): number {
  const start = sharedStart(from, to);
  const [width, height] = [to.length - start, from.length - start];
  let beforeLast: number[] = [];
  let last = Array.from({ length: width + 1 }, (_, index) => index);
  let leastOfLast = 0;
  for (let i = 1; i <= height; i += 1) {
    const row = [i];
    let leastOfRow = i;
    for (let j = 1; j <= width; j += 1) {
      const a = start + i - 1;
      const b = start + j - 1;
      let distance = Math.min(at(last, j), at(row, j - 1)) + 1;
      distance = Math.min(distance, at(last, j - 1) + (from[a] === to[b] ? 0 : 1));
      if (i > 1 && j > 1 && from[a] === to[b - 1] && from[a - 1] === to[b])
        distance = Math.min(distance, at(beforeLast, j - 2) + 1);
      row.push(distance);
      leastOfRow = Math.min(leastOfRow, distance);
    }
    if (leastOfRow > most && leastOfLast > most) return Number.POSITIVE_INFINITY;
    [beforeLast, last, leastOfLast] = [last, row, leastOfRow];
  }
  return at(last, width);
}

function sharedStart(from: string, to: string): number {
  let start = 0;
  while (start < from.length && from[start] === to[start]) start += 1;
  return start;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
