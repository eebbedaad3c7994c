/** `14.8Gi`: bytes with one decimal. */
export function formatGib(bytes = 0): string {
  return `${Math.round((bytes / 2 ** 30) * 10) / 10}Gi`;
}
