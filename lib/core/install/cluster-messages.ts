/** A message about one cluster. */
export interface ClusterMessage {
  readonly cluster: string;
  readonly message: string;
}

/**
 * Joins all failures into one text. *Shape:* every cluster is included. If the text is too long, each message is cut to an
 * equal share, and the unused share of short messages goes to the others.
 */
export function reasonOf(failures: readonly ClusterMessage[], longest: number): string {
  const texts = failures.map(({ cluster, message }) => `cluster ${cluster}: ${message}`);
  const lengths = texts.map(({ length }) => length).toSorted((a, b) => a - b);
  let left = longest - SEPARATOR.length * Math.max(0, texts.length - 1);
  let share = 0;
  for (const [index, length] of lengths.entries()) {
    share = Math.floor(left / (lengths.length - index));
    if (length > share) break;
    left -= length;
    share = longest;
  }
  return texts.map((text) => cut(text, share)).join(SEPARATOR);
}

const SEPARATOR = '; ';

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
