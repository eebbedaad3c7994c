/** `1 node`, `2 nodes`; `manyNouns` where the plural takes more than an s. */
export function counted(count: number, noun: string, manyNouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : manyNouns}`;
}
