import { judge, type Kept } from './judge.ts';
import { storyOf } from './story/story.ts';

/** The number of runs that shrinking takes at most. */
const MAX_RUNS = 60;
/** A fault is not shortened below this time. */
const SHORTEST_MS = 5_000;

/** The shortest list of faults under which the seed still violates the same rule: faults are left out, then shortened. */
export async function shrink(seed: number, rule: string): Promise<readonly Kept[]> {
  let runs = 0;
  const fails = async (kept: readonly Kept[]): Promise<boolean> => {
    runs += 1;
    return runs <= MAX_RUNS && (await judge(seed, kept)).violation?.rule === rule;
  };
  let kept: readonly Kept[] = storyOf(seed).faults.map(({ id }) => ({ id }));
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await fails(fewer)) kept = fewer;
      else from += size;
    }
  }
  const durations = new Map(storyOf(seed).faults.map(({ id, forMs }) => [id, forMs]));
  for (const { id } of kept) {
    for (let forMs = Math.floor((durations.get(id) ?? 0) / 2); forMs >= SHORTEST_MS; forMs = Math.floor(forMs / 2)) {
      const shorter = kept.map((one) => (one.id === id ? { id, forMs } : one));
      if (!(await fails(shorter))) break;
      kept = shorter;
    }
  }
  return kept;
}

export function formatKept(kept: readonly Kept[]): string {
  return kept.length === 0
    ? 'none'
    : kept.map(({ id, forMs }) => (forMs === undefined ? `${id}` : `${id}:${forMs}`)).join(',');
}

/** *Errors:* RangeError for text that is not a list of fault numbers. */
export function parseKept(text: string): readonly Kept[] {
  if (text === 'none') return [];
  return text.split(',').map((one) => {
    const [id, forMs] = one.split(':').map(Number);
    if (id === undefined || !Number.isInteger(id) || Number.isNaN(forMs ?? 0))
      throw new RangeError(`--only ${text}: "${one}" is not a fault: write 3, or 3:30000 for 30 s of it, or none`);
    return forMs === undefined ? { id } : { id, forMs };
  });
}
