/** A set of small integers (positions of instance types in a list), 32 in a word. */
export type Bitset = Uint32Array;

export function emptyBitset(size: number): Bitset {
  return new Uint32Array((size + 31) >>> 5);
}

export function fullBitset(size: number): Bitset {
  const set = emptyBitset(size);
  for (let member = 0; member < size; member += 1) addTo(set, member);
  return set;
}

export function addTo(set: Bitset, member: number): void {
  set[member >>> 5] = (set[member >>> 5] ?? 0) | (1 << (member & 31));
}

export function removeFrom(set: Bitset, member: number): void {
  set[member >>> 5] = (set[member >>> 5] ?? 0) & ~(1 << (member & 31));
}

export function has(set: Bitset, member: number): boolean {
  return (((set[member >>> 5] ?? 0) >>> (member & 31)) & 1) === 1;
}

/** Removes the members from `target` that are not in `other`. */
export function keepCommon(target: Bitset, other: Bitset): void {
  for (let word = 0; word < target.length; word += 1) target[word] = (target[word] ?? 0) & (other[word] ?? 0);
}

export function common(a: Bitset, b: Bitset): Bitset {
  const both = a.slice();
  keepCommon(both, b);
  return both;
}

export function isEmptyBitset(set: Bitset): boolean {
  return set.every((word) => word === 0);
}

/** The members in ascending order. */
export function membersOf(set: Bitset): readonly number[] {
  const members: number[] = [];
  for (let word = 0; word < set.length; word += 1) {
    for (let bits = set[word] ?? 0; bits !== 0; bits &= bits - 1)
      members.push((word << 5) + 31 - Math.clz32(bits & -bits));
  }
  return members;
}
