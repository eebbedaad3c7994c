import { isMap, isSeq, type Pair } from 'yaml';
import { suggest } from '../../explain/suggest.ts';
import type { Subject } from '../subject.ts';
import { keepPairs } from './comments.ts';
import { keyOf } from './yaml-map.ts';

/** The fields of a former API, to the depth that the conversion needs. */
export type Shape =
  | { readonly kind: 'any' }
  /** Not in that API, but in v1. */
  | { readonly kind: 'later' }
  /** In that API, but not in v1. */
  | { readonly kind: 'gone'; readonly reason: string; readonly fix: string }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'map'; readonly name: string; readonly fields: Readonly<Record<string, Shape>> };

export const ANY: Shape = { kind: 'any' };
const LATER: Shape = { kind: 'later' };

export function gone(reason: string, fix: string): Shape {
  return { kind: 'gone', reason, fix };
}

export function list(of: Shape): Shape {
  return { kind: 'list', of };
}

export function fields(name: string, known: Readonly<Record<string, Shape>>): Shape {
  return { kind: 'map', name, fields: known };
}

export function anyOf(...names: readonly string[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.map((name) => [name, ANY]));
}

export function laterOf(...names: readonly string[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.map((name) => [name, LATER]));
}

/** Removes the fields that the former API did not have or that v1 does not have, with a warning for each. */
export function prune(subject: Subject, node: unknown, shape: Shape): void {
  if (shape.kind === 'list') {
    if (isSeq(node)) for (const item of node.items) prune(subject, item, shape.of);
  } else if (shape.kind === 'map' && isMap(node)) {
    // Suggestions are slow to compute, so objects with many fields get none.
    const guesses = node.items.length <= 100;
    keepPairs(node, (pair) => isKept(subject, pair, { shape, guesses }));
  }
}

interface Place {
  readonly shape: Extract<Shape, { kind: 'map' }>;
  readonly guesses: boolean;
}

function isKept(subject: Subject, pair: Pair, { shape, guesses }: Place): boolean {
  const name = keyOf(pair);
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
