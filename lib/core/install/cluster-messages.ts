/** What there is to say of one cluster. */
export interface ClusterMessage {
  readonly cluster: string;
  readonly message: string;
}

/**
 * All that went wrong, in one text. *Shape:* every cluster has its say: where not all fits, each is cut to an equal share, and
 * what a short one leaves is for the others.
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
