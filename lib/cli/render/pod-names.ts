/** `web-1`, `web-1 and shop/web-2`, `web-1 and 11 more`, for pods as `namespace/name`. */
export function podNames(pods: readonly string[]): string {
  const names = pods.map(withoutDefault);
  const [first = '', second = ''] = names;
  if (names.length <= 2) return names.length === 1 ? first : `${first} and ${second}`;
  return `${first} and ${names.length - 1} more`;
}

/** `web`, `shop/web`: the name without the namespace `default`. */
export function withoutDefault(key: string): string {
  return key.replace(/^default\//, '');
}
