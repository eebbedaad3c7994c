import { ARCH, INSTANCE_FAMILY, INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { KnownFigures } from './known-figures.ts';
import { withoutMarks } from './words.ts';
import type { Unknown } from './zones.ts';

/** Names of architectures in other tools. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['x86', 'amd64'],
  ['x64', 'amd64'],
  ['aarch64', 'arm64'],
  ['arm', 'arm64'],
  ['graviton', 'arm64'],
]);

/** Returns what to write for a value that no type has. *Cost:* lazy, because there may be very many values. */
export function meantBy(key: string, value: string, figures: KnownFigures): Pick<Unknown, 'allowed' | 'meant'> {
  return {
    allowed: () => otherLabel(key, value, figures) ?? nearestName(key, value, figures) ?? someOf(key, value, figures),
    meant: () => nearestName(key, value, figures),
  };
}

/** Handles an instance type in place of its family, and the reverse. */
function otherLabel(key: string, value: string, { types }: KnownFigures): string | undefined {
  if (key === INSTANCE_FAMILY && types.hasValue(INSTANCE_TYPE, value))
    return `${value.split('.')[0]}, or ${value} under ${INSTANCE_TYPE}`;
  if (key === INSTANCE_TYPE && types.hasValue(INSTANCE_FAMILY, value)) {
    const [first = value] = types.valuesOf(INSTANCE_TYPE).filter((name) => name.startsWith(`${value}.`));
    return `one of its types, such as ${first}, or ${value} under ${INSTANCE_FAMILY}`;
  }
  return undefined;
}

/** Caches the nearest names: the same mistake is often in every pool of a file. */
const found = new WeakMap<KnownFigures, Map<string, string | undefined>>();

function nearestName(key: string, value: string, figures: KnownFigures): string | undefined {
  const before = found.get(figures) ?? new Map<string, string | undefined>();
  found.set(figures, before);
  const name = `${key} ${value}`;
  if (!before.has(name)) before.set(name, findNearest(key, value, figures));
  return before.get(name);
}

/** Undefined where longer names begin with the value: it is incomplete rather than misspelt. */
function findNearest(key: string, value: string, { types, suggest }: KnownFigures): string | undefined {
  const synonym = key === ARCH ? SYNONYMS.get(value.toLowerCase()) : undefined;
  if (synonym !== undefined) return synonym;
  const { names, plainNames } = types.namesUnder(key, value.slice(0, 1).toLowerCase());
  if (/^\d+$/.test(value) || names.some((name) => name.startsWith(value))) return undefined;
  const nearest = suggest(value, names);
  if (nearest !== undefined) return nearest;
  // `m5larg`, `m5-large`: a missing or wrong dot does not count as a mistake.
  const plain = suggest(withoutMarks(value), plainNames);
  return plain === undefined ? undefined : names[plainNames.indexOf(plain)];
}

function someOf(key: string, value: string, { types }: KnownFigures): string {
  const known = types.valuesOf(key);
  const numbers = /^\d+$/.test(value) ? known.map(Number) : [];
  if (numbers.length > 0 && numbers.every(Number.isInteger)) return neighbours(Number(value), numbers);
  const { names } = types.namesUnder(key, value.slice(0, 1).toLowerCase());
  const longer = names.filter((name) => name.startsWith(value));
  if (known.length <= 12 && longer.length === 0) return `one of ${known.toSorted().join(', ')}`;
  const alike = [longer, names, known].find((some) => some.length > 0) ?? [];
  return `an existing value, such as ${alike.slice(0, 4).join(', ')}`;
}

function neighbours(value: number, known: readonly number[]): string {
  const below = Math.max(...known.filter((each) => each < value));
  const above = Math.min(...known.filter((each) => each > value));
  return [below, above].filter(Number.isFinite).join(' or ');
}
