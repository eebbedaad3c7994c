/** Compares texts by their code units, independent of the locale. An absent text sorts first. */
export function compareText(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
