/** `14.8Gi`: of a whole machine nobody wants to know more. */
export function formatGib(bytes = 0): string {
  return `${Math.round((bytes / 2 ** 30) * 10) / 10}Gi`;
}
