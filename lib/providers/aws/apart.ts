import { UnreachableError } from '../../ports/errors.ts';
import { portErrorOf } from './errors.ts';

/** One refused id among 500 that EC2 does not name is found in 18 calls; more than a few of them are left to the next run. */
const MOST_CALLS = 32;

export interface Apart<Answer> {
  readonly answers: readonly Answer[];
  /** What EC2 threw, by the id that it threw it for. */
  readonly refused: ReadonlyMap<string, unknown>;
}

/**
 * One call for many ids, in which one that EC2 refuses must not fail the others: those that it names are left out and the
 * rest is asked again; where it names none, the halves are asked by themselves. *Errors:* UnreachableError for all, where
 * nothing is said against any of them. *Cost:* 1 call, at most 32 however many are refused.
 */
export async function apart<Answer>(
  doing: string,
  ids: readonly string[],
  call: (ids: readonly string[]) => Promise<Answer>,
): Promise<Apart<Answer>> {
  const answers: Answer[] = [];
  const refused = new Map<string, unknown>();
  const parts: (readonly string[])[] = ids.length === 0 ? [] : [ids];
  let calls = 0;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    calls += 1;
    try {
      answers.push(await call(part));
    } catch (thrown) {
      if (portErrorOf(thrown, doing) instanceof UnreachableError || !(thrown instanceof Error)) throw thrown;
      const blamed = calls + parts.length + 2 <= MOST_CALLS ? blame(thrown, part) : { refused: part, again: [] };
      for (const id of blamed.refused) refused.set(id, thrown);
      parts.push(...blamed.again.filter((again) => again.length > 0));
    }
  }
  return { answers, refused };
}

interface Blame {
  readonly refused: readonly string[];
  readonly again: readonly (readonly string[])[];
}

function blame({ message }: Error, ids: readonly string[]): Blame {
  const words = new Set(message.match(/\bi-[0-9a-zA-Z]+/g));
  const named = ids.filter((id) => words.has(id));
  if (named.length > 0) return { refused: named, again: [ids.filter((id) => !words.has(id))] };
  if (ids.length === 1) return { refused: ids, again: [] };
  const middle = Math.ceil(ids.length / 2);
  return { refused: [], again: [ids.slice(0, middle), ids.slice(middle)] };
}
