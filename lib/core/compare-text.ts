/** The order of texts by their code units, which no machine's locale changes; what is absent comes first. */
export function compareText(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
