/** Caches the result for each key. */
export function memoize<Key, Answer>(make: (key: Key) => Answer): (key: Key) => Answer {
  const known = new Map<Key, Answer>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = make(key);
    known.set(key, answer);
    return answer;
  };
}
