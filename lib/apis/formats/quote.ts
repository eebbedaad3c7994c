/** Formats a value for a message: JSON, cut if it is long. */
export function quote(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing');
  return cutText(text, 80);
}

export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}
