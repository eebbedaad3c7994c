/** Text to append to a message if the value is an unreplaced placeholder; else empty. */
export function placeholderHint(text: string): string {
  return /\{\{|\$\{|\$\(|<[^<>]*>|%\(/.test(text) ? ': a placeholder that was not replaced' : '';
}
