import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid } from './errors.ts';
import type { Path } from './expression-tokens.ts';
import type { Placeholders } from './expressions.ts';
import type { StoredItem } from './values.ts';

/** The path with the names of its placeholders. */
export function resolved(path: Path, { names }: Placeholders): Path {
  return path.map((step) => (typeof step === 'string' && step.startsWith('#') ? (names[step] ?? step) : step));
}

export function valueAt(item: StoredItem, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const step of path) {
    value = typeof step === 'number' ? value.L?.[step] : value.M?.[step];
    if (value === undefined) return undefined;
  }
  return value;
}

/** Refuses two paths of which one leads through the other, or through a value of another type. */
export function requireSeparate(kind: string, paths: readonly Path[]): void {
  for (const [at, a] of paths.entries()) {
    for (const b of paths.slice(at + 1)) {
      const shared = Math.min(a.length, b.length);
      const differs = a.findIndex((step, index) => index < shared && step !== b[index]);
      if (differs === -1) throw invalid(`Invalid ${kind}: Two document paths overlap with each other;`);
      if (typeof a[differs] !== typeof b[differs]) {
        throw invalid(`Invalid ${kind}: Two document paths conflict with each other;`);
      }
    }
  }
}

/** The item with only these paths; elements of lists are packed. */
export function projected(item: StoredItem, paths: readonly Path[]): Record<string, AttributeValue> {
  if (paths.every((path) => path.length === 1)) {
    const kept: Record<string, AttributeValue> = {};
    for (const [name] of paths) {
      const value = item[String(name)];
      if (value !== undefined) kept[String(name)] = value;
    }
    return kept;
  }
  return part({ M: item }, paths)?.M ?? {};
}

function part(value: AttributeValue, paths: readonly Path[]): AttributeValue | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  const byStep = Map.groupBy(paths, ([step]) => step);
  const kept = [...byStep].flatMap(([step, of]) => {
    const inner = typeof step === 'number' ? value.L?.[step] : value.M?.[String(step)];
    const found =
      inner &&
      part(
        inner,
        of.map((path) => path.slice(1)),
      );
    return found === undefined || step === undefined ? [] : [[step, found] as const];
  });
  if (kept.length === 0) return undefined;
  if (value.L === undefined) return { M: Object.fromEntries(kept) };
  return { L: kept.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, one]) => one) };
}
