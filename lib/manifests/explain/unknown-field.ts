import { optional } from '../../apis/optional.ts';
import { ownField } from '../../apis/record.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import { suggest } from '../../core/suggest.ts';
import { movedField, needlessField } from './common-mistakes.ts';
import type { Explanation, Path } from './problem.ts';

interface UnknownField {
  readonly path: Path;
  readonly name: string;
  readonly schema: Schema;
  /** The object that contains the unknown field. */
  readonly data: unknown;
  readonly root: Schema;
}

/** The maximum number of names in a list of allowed fields. */
const NAMES_WORTH_LISTING = 12;

export function unknownField({ path, name, schema, data, root }: UnknownField): Explanation {
  const at = [...path, name];
  const kind = root.properties?.['kind']?.enum?.[0] ?? '';
  const value = ownField(data, name);
  const here = { path: at, kind, value };
  const needless = needlessField(here);
  if (needless !== undefined)
    return { path: at, message: 'this field does not exist here', fix: needless, unknown: true };
  const moved = movedField(here);
  if (moved !== undefined)
    return {
      path: at,
      message: 'this field does not exist here',
      allowed: moved.allowed,
      ...optional({ meant: moved.meant }),
      unknown: true,
    };
  const known = Object.keys(schema.properties ?? {}).filter((field) => field !== 'status');
  const nearest = suggest(name, known);
  if (nearest !== undefined)
    return {
      path: at,
      message: `this field does not exist; did you mean ${nearest}?`,
      allowed: nearest,
      meant: nearest,
      unknown: true,
    };
  const places = placesOf(name, root, '');
  const elsewhere = places.find((place) => isNear(place, path));
  if (elsewhere !== undefined)
    return { path: at, message: 'this field does not belong here', allowed: `it as ${elsewhere}`, unknown: true };
  return { path: at, message: 'this field does not exist', fix: fixFor(known, places.length > 0), unknown: true };
}

function fixFor(known: readonly string[], existsElsewhere: boolean): string {
  if (known.length === 0) return 'remove it';
  const names = known.slice(0, NAMES_WORTH_LISTING).join(', ');
  const list = `one of ${names}${known.length > NAMES_WORTH_LISTING ? ', …' : ''}`;
  return existsElsewhere ? `remove it, or write ${list}` : `write ${list}`;
}

/** Names that occur in many places do not identify one. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  'apiVersion apiGroup group kind id key value values operator effect tags spec metadata template selector type'.split(
    ' ',
  ),
);

/** True for a place above or below this one. Entries of other lists and sibling fields are unrelated. */
function isNear(place: string, path: Path): boolean {
  const name = place.slice(place.lastIndexOf('.') + 1);
  const around = place.slice(0, Math.max(0, place.lastIndexOf('.')));
  const here = path
    .map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
    .join('')
    .replace(/^\./, '');
  if (COMMON_NAMES.has(name)) return false;
  if (around === 'metadata') return here === '' || here === 'spec';
  if (name === 'name') return false;
  if (isInside(here, around)) return true;
  return isInside(around, here) && !around.slice(here.length).includes('[]');
}

function isInside(inner: string, outer: string): boolean {
  return outer === '' || inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[]`);
}

/** The other places of a field with this name in the kind. Fields of a template come before those of the object itself. */
function placesOf(name: string, schema: Schema, prefix: string): readonly string[] {
  const here = Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => {
    const place = prefix === '' ? field : `${prefix}.${field}`;
    return field === name ? [place] : placesOf(name, inner, place);
  });
  const all = schema.items === undefined ? here : [...here, ...placesOf(name, schema.items, `${prefix}[]`)];
  if (prefix !== '') return all;
  return [...all.filter((place) => !isOwn(place)), ...all.filter(isOwn)];
}

function isOwn(place: string): boolean {
  return place.startsWith('metadata.');
}
