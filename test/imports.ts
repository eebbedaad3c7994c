/** Returns the modules that a source file imports, as they are written. */
export function importsOf(text: string): readonly string[] {
  return [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*'([^']+)'|\bimport\(\s*['"`]([^'"`]+)['"`]/g),
  ].map(([, from, dynamic]) => from ?? dynamic ?? '');
}
