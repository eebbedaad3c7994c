import type { Path, Report } from '../explain/problem.ts';

/** Checks that exactly one of the fields is set. `found` are those that are. */
export function checkOne(
  found: readonly string[],
  at: Path,
  { names, report }: { readonly names: readonly string[]; readonly report: Report },
): void {
  const [, second] = found;
  if (found.length === 0) report(at, 'is empty', `one of ${names.join(', ')}`);
  if (second !== undefined)
    report(
      [...at, second],
      `cannot be set together with ${found.filter((name) => name !== second).join(', ')}`,
      `exactly one of ${names.join(', ')}`,
    );
}
