import { ARCH, CAPACITY_TYPE, CAPACITY_TYPES, INSTANCE_TYPE, OS, REGION, ZONE } from '../../apis/labels.ts';
import { oneOf } from '../requirements/requirement.ts';
import type { FieldProblem } from '../validation/field-problem.ts';
import { type Asked, fieldOf } from './asked.ts';
import type { KnownFigures } from './known-figures.ts';
import { isLeftOut } from './left-out-types.ts';
import { listed } from './words.ts';
import { type Unknown, whyNoRegion, whyNoZone } from './zones.ts';

const PREFIX = 'karpenter.k8s.aws/';

/** Labels of which a value that no type has is a slip, and what their values are. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  [INSTANCE_TYPE, 'instance type'],
  [ARCH, 'architecture'],
  [OS, 'operating system'],
  [`${PREFIX}instance-category`, 'instance category'],
  [`${PREFIX}instance-family`, 'instance family'],
  [`${PREFIX}instance-generation`, 'instance generation'],
  [`${PREFIX}instance-size`, 'instance size'],
  [`${PREFIX}instance-cpu`, 'number of CPUs of an instance type'],
  [`${PREFIX}instance-cpu-manufacturer`, 'CPU manufacturer'],
  [`${PREFIX}instance-hypervisor`, 'hypervisor'],
  [`${PREFIX}instance-gpu-name`, 'GPU'],
  [`${PREFIX}instance-gpu-manufacturer`, 'GPU manufacturer'],
  [`${PREFIX}instance-accelerator-name`, 'accelerator'],
  [`${PREFIX}instance-accelerator-manufacturer`, 'accelerator manufacturer'],
]);

/** What other tools call the same. */
const SYNONYMS: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  x86: 'amd64',
  x64: 'amd64',
  aarch64: 'arm64',
  arm: 'arm64',
  graviton: 'arm64',
};

/** Values that nothing in EC2 has, each a warning of its own; where there is no other value, what follows from that. */
export function unknownValues(asked: Asked, figures: KnownFigures, consequence: string): readonly FieldProblem[] {
  if (asked.choice === undefined) return [];
  const { path, values } = asked.choice;
  const unknown = values.flatMap((value, index) => {
    const why = whyUnknown(asked.key, value, figures);
    return why === undefined ? [] : [{ value, index, ...why }];
  });
  const [first] = unknown;
  if (first === undefined) return [];
  const all = unknown.length === values.length;
  // A1.26 refuses a pool without any capacity type that there is.
  if (all && asked.key === CAPACITY_TYPE) return [];
  if (all) {
    const names = listed(unknown.map(({ value }) => JSON.stringify(value)));
    const message = unknown.length === 1 ? `${names} ${first.message}` : `none of ${names} is known to Kerf`;
    return [{ path: fieldOf(asked), message: `${message}, ${consequence}`, allowed: first.allowed }];
  }
  return unknown.map(({ value, index, message, allowed }) => ({
    path: [...path, index],
    message: `${JSON.stringify(value)} ${message}`,
    allowed,
  }));
}

/** True where EC2 has a value that the figures do not describe, so that nothing is known of what meets it. */
export function namesLeftOut({ key, choice }: Asked): boolean {
  return choice?.values.some((value) => isLeftOut(key, value)) ?? false;
}

function whyUnknown(key: string, value: string, figures: KnownFigures): Unknown | undefined {
  if (key === ZONE) return whyNoZone(value, figures.zones);
  if (key === REGION) return whyNoRegion(value);
  if (key === CAPACITY_TYPE) return whyNoCapacityType(value, figures);
  const noun = NOUNS.get(key);
  const { types } = figures;
  if (noun === undefined || isLeftOut(key, value) || types.meeting(oneOf(key, [value])) !== 0n) return undefined;
  return { message: `is no ${noun} that Kerf knows of`, allowed: nearest(value, key, figures) };
}

function whyNoCapacityType(value: string, { suggest }: KnownFigures): Unknown | undefined {
  if (CAPACITY_TYPES.some((known) => known === value)) return undefined;
  const allowed = suggest(value, CAPACITY_TYPES) ?? `one of ${CAPACITY_TYPES.join(', ')}`;
  return { message: 'is no capacity type', allowed };
}

/** The name that was meant; else longer names that begin with what is written, else any. */
function nearest(value: string, key: string, { types, suggest }: KnownFigures): string {
  const known = types.valuesAmong(key, types.all);
  const synonym =
    key === ARCH && Object.hasOwn(SYNONYMS, value.toLowerCase()) ? SYNONYMS[value.toLowerCase()] : undefined;
  if (synonym !== undefined) return synonym;
  if (/^\d+$/.test(value)) return neighbours(Number(value), known.map(Number));
  const longer = known.filter((name) => name.startsWith(value));
  if (longer.length > 0) return `one that there is, such as ${longer.slice(0, 4).join(', ')}`;
  const sameLetter = known.filter((name) => name.startsWith(value.slice(0, 1).toLowerCase()));
  const all = `one of ${known.toSorted().join(', ')}`;
  return (
    suggest(value, sameLetter) ??
    (known.length <= 12 ? all : `one that there is, such as ${known.slice(0, 4).join(', ')}`)
  );
}

function neighbours(value: number, known: readonly number[]): string {
  const below = Math.max(...known.filter((each) => each < value));
  const above = Math.min(...known.filter((each) => each > value));
  return [below, above].filter(Number.isFinite).join(' or ');
}
