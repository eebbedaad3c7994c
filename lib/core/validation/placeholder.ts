/** Text to append to a message if the value is an unreplaced placeholder; else empty. */
export function placeholderHint(text: string): string {
  return /\{\{|\$\{|\$\(|<[^<>]*>|%\(|__[A-Z][A-Z0-9_]*__/.test(text) ? ': a placeholder that was not replaced' : '';
}
