/** Chance from a seed: the same seed gives the same run, byte for byte. */
export interface Random {
  /** At least `from`, below `to`. */
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T | undefined;
}

/** *Source:* Marsaglia's xorshift with 32 bits of state, stirred first so that seeds near each other differ. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from));
  return { between, pick: (list) => list[between(0, list.length)] };
}

/** The numbers of one part of the simulation, by its name: using them changes no other numbers. */
export function ownRandom(seed: number, name: string): Random {
  let hash = 0x811c9dc5;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return randomFrom(seed ^ hash);
}

/** At least 0, below 1. */
export function fraction(random: Random): number {
  return random.between(0, 2 ** 32) / 2 ** 32;
}

/** A time with an exponential distribution: the time until the next of independent events. */
export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - fraction(random));
}
