/** How rows of behaviour and promises are cited: `B12`, `A3.28`, `B12–B15`, `A1.8 to A1.19`, `promise 2`, `promises 1, 7`. */

/** A row, or the last row of a range. Not `A100`, `m5.B12`, `B6F` or a name in quotation marks. */
const ROW = String.raw`[A-H]\d{1,2}(?:\.\d{1,2})?`;
const CITATION = new RegExp(
  String.raw`(?<![\w.$/#%'"\`-])(${ROW})(?:\s*(?:[–-]|to)\s*([A-H]?\d{1,2}(?:\.\d{1,2})?))?(?![\w%'"\`/]|[.-]\w)`,
  'g',
);

/** The rows that a text cites, each once, in its order. A range includes every number in it. */
export function rowsIn(text: string): readonly string[] {
  const cited = [...text.matchAll(CITATION)].flatMap(([, first = '', last]) => rangeOf(first, last));
  return [...new Set(cited)];
}

function rangeOf(first: string, last: string | undefined): readonly string[] {
  const [, prefix = '', from] = /^(.*?)(\d+)$/.exec(first) ?? [];
  const to = /(\d+)$/.exec(last ?? first)?.[1];
  const length = Math.max(Number(to) - Number(from) + 1, 1);
  return Array.from({ length }, (_, at) => `${prefix}${Number(from) + at}`);
}

/** The rows that the name of a test cites: in parentheses, `(B12, B35)`, or before a colon, `A3.27, A3.28: …`. */
export function rowsOfTitle(title: string): readonly string[] {
  const inParentheses = [...title.matchAll(/\(([^()]*)\)/g)].map(([, inside = '']) => inside);
  const [, before] = new RegExp(String.raw`^(${ROW}(?:(?:, |–| to )${ROW})*): `).exec(title) ?? [];
  return [...new Set([before ?? '', ...inParentheses].flatMap(rowsIn))];
}

/** The numbers of the promises that a text cites: `promise 2`, `Promises 1 and 7`. */
export function promisesIn(text: string): readonly number[] {
  const lists = [...text.matchAll(/\bpromises? (\d+(?:(?:, | and |, and )\d+)*)\b/gi)].map(([, list = '']) => list);
  return [...new Set(lists.flatMap((list) => [...list.matchAll(/\d+/g)].map(([number]) => Number(number))))];
}
