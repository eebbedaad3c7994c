/** What to say of text that somebody meant to replace before this, to follow the value; empty where it is no such text. */
export function placeholderHint(text: string): string {
  return /\{\{|\$\{|\$\(|<[^<>]*>|%\(/.test(text) ? ': a placeholder that is not filled in' : '';
}
