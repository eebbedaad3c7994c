/** Formats a count with thousands separators: 1,386. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `a, b, c, d and 3 more`. */
export function listNames(names: readonly string[], most = 6): string {
  return names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${grouped(names.length - most)} more`;
}

/** `m5large` for `m5.large`. */
export function withoutMarks(name: string): string {
  return name.replaceAll(/[._-]/g, '');
}
