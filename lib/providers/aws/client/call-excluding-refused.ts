import { UnreachableError } from '../../../ports/errors.ts';
import { awsPortError } from './errors.ts';

/** Finding one refused id among 500 takes 18 calls if EC2 does not name it. If there are several, the rest waits for the next run. */
const MAX_CALLS = 32;

export interface PartialAnswers<Answer> {
  readonly answers: readonly Answer[];
  /** The errors of EC2 by id. */
  readonly refused: ReadonlyMap<string, unknown>;
  /** Those of them that may not be the cause: they were refused together with others, when the calls were used up. */
  readonly unclear: ReadonlySet<string>;
}

/**
 * Makes one call for many ids, so that a refused id does not fail the others. Ids that the error names are excluded, and the
 * call is repeated; if the error names none, each half is tried separately. *Errors:* UnreachableError for all ids if the
 * error is not about any of them. *Cost:* 1 call, at most 32.
 */
export async function callExcludingRefused<Answer>(
  doing: string,
  ids: readonly string[],
  call: (ids: readonly string[]) => Promise<Answer>,
): Promise<PartialAnswers<Answer>> {
  const answers: Answer[] = [];
  const refused = new Map<string, unknown>();
  const unclear = new Set<string>();
  const parts: (readonly string[])[] = ids.length === 0 ? [] : [ids];
  let calls = 0;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    calls += 1;
    try {
      answers.push(await call(part));
    } catch (thrown) {
      if (awsPortError(thrown, doing) instanceof UnreachableError || !(thrown instanceof Error)) throw thrown;
      const isLast = calls + parts.length + 2 > MAX_CALLS;
      const blamed = isLast ? { refused: part, again: [] } : blame(thrown, part);
      for (const id of blamed.refused) {
        refused.set(id, thrown);
        if (isLast && part.length > 1) unclear.add(id);
      }
      parts.push(...blamed.again.filter((again) => again.length > 0));
    }
  }
  return { answers, refused, unclear };
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
