import { UnreachableError } from '../../../ports/errors.ts';
import { translated } from './errors.ts';

export interface Page<T> {
  readonly items: readonly T[] | undefined;
  readonly next: string | undefined;
}

/** Far above the size of any list here. Stops a function if a service returns pages in a circle. */
const MAX_PAGES = 200;

/**
 * Reads all pages of a list that is never empty. *Errors:* as of `allPages`; UnreachableError also for a page without a list, as from a
 * proxy: a part of the list would be taken for all of it.
 */
export async function allFullPages<T>(
  doing: string,
  call: (token: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  return await allPages(doing, async (token) => {
    const page = await call(token);
    if (page.items !== undefined) return page;
    throw new UnreachableError(`${doing}: the answer of AWS has no list; try again later`);
  });
}

/** Reads all pages of a list. *Errors:* those of the call; UnreachableError where the pages do not end. */
export async function allPages<T>(
  doing: string,
  call: (token: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await translated(doing, () => call(token));
    for (const item of answer.items ?? []) items.push(item);
    // EC2 ends some lists with an empty token.
    if (answer.next === undefined || answer.next === '') return items;
    if (seen.has(answer.next))
      throw new UnreachableError(`${doing}: page ${page + 1} leads back to an earlier one; try again later`);
    seen.add(answer.next);
    token = answer.next;
  }
  throw new UnreachableError(`${doing}: no end after ${MAX_PAGES} pages; try again later`);
}
