import { isMap, isSeq, type Pair } from 'yaml';
import { suggest } from '../../../core/suggest.ts';
import type { ConversionSubject } from '../subject.ts';
import { keepPairs } from './comments.ts';
import { pairKeyOf } from './yaml-map.ts';

/** The fields of a former API, to the depth that the conversion needs. */
export type ManifestShape =
  | { readonly kind: 'any' }
  /** Not in that API, but in v1. */
  | { readonly kind: 'later' }
  /** In that API, but not in v1. */
  | { readonly kind: 'gone'; readonly reason: string; readonly fix: string }
  | { readonly kind: 'list'; readonly of: ManifestShape }
  | { readonly kind: 'map'; readonly name: string; readonly fields: Readonly<Record<string, ManifestShape>> };

export const ANY_VALUE: ManifestShape = { kind: 'any' };
const LATER: ManifestShape = { kind: 'later' };

export function gone(reason: string, fix: string): ManifestShape {
  return { kind: 'gone', reason, fix };
}

export function list(of: ManifestShape): ManifestShape {
  return { kind: 'list', of };
}

export function fields(name: string, known: Readonly<Record<string, ManifestShape>>): ManifestShape {
  return { kind: 'map', name, fields: known };
}

export function anyOf(...names: readonly string[]): Readonly<Record<string, ManifestShape>> {
  return Object.fromEntries(names.map((name) => [name, ANY_VALUE]));
}

export function laterOf(...names: readonly string[]): Readonly<Record<string, ManifestShape>> {
  return Object.fromEntries(names.map((name) => [name, LATER]));
}

/** Removes the fields that the former API did not have or that v1 does not have, with a warning for each. */
export function prune(subject: ConversionSubject, node: unknown, shape: ManifestShape): void {
  if (shape.kind === 'list') {
    if (isSeq(node)) for (const item of node.items) prune(subject, item, shape.of);
  } else if (shape.kind === 'map' && isMap(node)) {
    // Suggestions are slow to compute, so objects with many fields get none.
    const guesses = node.items.length <= 100;
    keepPairs(node, (pair) => isKept(subject, pair, { shape, guesses }));
  }
}

interface Place {
  readonly shape: Extract<ManifestShape, { kind: 'map' }>;
  readonly guesses: boolean;
}

function isKept(subject: ConversionSubject, pair: Pair, { shape, guesses }: Place): boolean {
  const name = pairKeyOf(pair);
  const known = name !== undefined && Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
  if (known === undefined) {
    const meant = name === undefined || !guesses ? undefined : suggest(name, Object.keys(shape.fields));
    subject.warn(pair, `was removed: it is not a field of ${shape.name}`, unknownFix(meant));
    return false;
  }
  switch (known.kind) {
    case 'later':
      subject.warn(
        pair,
        `was not a field of ${shape.name} and had no effect; v1 has this field, so it takes effect now`,
        'remove it if you do not want that',
      );
      return true;
    case 'gone':
      subject.warn(pair, `was removed: ${known.reason}`, known.fix);
      return false;
    case 'any':
    case 'list':
    case 'map':
      prune(subject, pair.value, known);
      return true;
  }
}

function unknownFix(meant: string | undefined): string {
  return meant === undefined
    ? 'remove it: the API server dropped it, so it never had an effect'
    : `write ${meant} in the old manifest and convert it again, or remove the field: it never had an effect`;
}
