import { quote } from '../../apis/formats/quote.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';
import type { ReadKind } from '../read/classify.ts';

/** The objects that references may name. */
export type Names = readonly {
  readonly kind: ReadKind;
  /** `namespace/name`, or the name alone for cluster-scoped objects. */
  readonly key: string;
}[];

interface Reference {
  readonly kind: ReadKind;
  readonly key: string;
  readonly at: Path;
}

/** Checks that one of the files has the object. */
export function checkReference({ kind, key, at }: Reference, names: Names, report: Report): void {
  const known = names.filter((object) => object.kind === kind).map((object) => object.key);
  if (known.includes(key)) return;
  const nearest = suggest(key, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  const allowed =
    known.length === 0
      ? `the ${kind} to one of the files, which have none`
      : `one of ${known.join(', ')}, or add the ${kind} to the files`;
  report(at, `no file has ${kind === 'EC2NodeClass' ? 'an' : 'a'} ${kind} ${quote(key)}${hint}`, allowed);
}
