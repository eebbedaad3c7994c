/** How often each word is there, in the order in which they first come. */
export function countsOf<Word extends string>(words: readonly Word[]): Readonly<Partial<Record<Word, number>>> {
  const counts: Partial<Record<Word, number>> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
