/** `1 node`, `2 nodes`; `manyNouns` where the plural takes more than an s. */
export function counted(count: number, noun: string, manyNouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : manyNouns}`;
}

/** `a, b, c and 2 more`. @param count how many there are. @default as many as there are names */
export function firstNames(names: readonly string[], most: number, count = names.length): string {
  const shown = names.slice(0, most).join(', ');
  const more = count - Math.min(names.length, most);
  return more > 0 ? `${shown} and ${more} more` : shown;
}
