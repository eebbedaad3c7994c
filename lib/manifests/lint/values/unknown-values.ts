import {
  ARCH,
  CAPACITY_TYPE,
  CAPACITY_TYPES,
  INSTANCE_CATEGORY,
  INSTANCE_FAMILY,
  INSTANCE_GENERATION,
  INSTANCE_MEMORY,
  INSTANCE_TYPE,
  OS,
  REGION,
  ZONE,
} from '../../../apis/labels.ts';
import type { FieldProblem } from '../../../core/validation/field-problem.ts';
import { whyNoMemory } from '../memory-values.ts';
import { type Asked, fieldPathOf } from './asked.ts';
import type { KnownFigures } from './known-figures.ts';
import { isLeftOut } from './left-out-types.ts';
import { meantBy } from './meant-value.ts';
import { mayBeNewer, mayMeetNewer } from './newer-types.ts';
import { grouped, listNames } from './words.ts';
import { type Unknown, whyNoRegion, whyNoZone } from './zones.ts';

const PREFIX = 'karpenter.k8s.aws/';

/** Labels for which a value that no type has is a mistake, with the noun for their values. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  [INSTANCE_TYPE, 'instance type'],
  [ARCH, 'architecture'],
  [OS, 'operating system'],
  [INSTANCE_CATEGORY, 'instance category'],
  [INSTANCE_FAMILY, 'instance family'],
  [INSTANCE_GENERATION, 'instance generation'],
  [`${PREFIX}instance-size`, 'instance size'],
  [`${PREFIX}instance-cpu`, 'number of CPUs of an instance type'],
  [`${PREFIX}instance-cpu-manufacturer`, 'CPU manufacturer'],
  [`${PREFIX}instance-hypervisor`, 'hypervisor'],
  [`${PREFIX}instance-gpu-name`, 'GPU'],
  [`${PREFIX}instance-gpu-manufacturer`, 'GPU manufacturer'],
  [`${PREFIX}instance-accelerator-name`, 'accelerator'],
  [`${PREFIX}instance-accelerator-manufacturer`, 'accelerator manufacturer'],
]);

/** Up to this number, each unknown value gets its own warning and suggestion; more share one warning. */
const FEW = 3;

interface UnknownValue extends Unknown {
  readonly value: string;
  readonly index: number;
}

/** Warns of values that EC2 does not have, and of the consequence where the list has no other value. */
export function unknownValues(asked: Asked, figures: KnownFigures, consequence: string): readonly FieldProblem[] {
  if (asked.choice === undefined) return [];
  const { path, values } = asked.choice;
  const unknown = values.flatMap((value, index): readonly UnknownValue[] => {
    const why = whyUnknown(asked.key, value, figures);
    return why === undefined ? [] : [{ value, index, ...why }];
  });
  const [first] = unknown;
  if (first === undefined) return [];
  const all = unknown.length === values.length;
  // A1.26: validation rejects a pool without a valid capacity type.
  if (all && asked.key === CAPACITY_TYPE) return [];
  if (!all && unknown.length <= FEW) {
    return unknown.map(({ value, index, message, allowed }) => ({
      path: [...path, index],
      message: `${JSON.stringify(value)} ${message}`,
      allowed: allowed(),
    }));
  }
  const message =
    unknown.length === 1 ? `${JSON.stringify(first.value)} ${first.message}` : severalUnknown(unknown, values.length);
  const hasConsequence = all && unknown.every(({ mayExist }) => mayExist !== true);
  const allowed = unknown.length === 1 ? first.allowed() : allowedInstead(unknown);
  return [{ path: fieldPathOf(asked), message: hasConsequence ? `${message}, ${consequence}` : message, allowed }];
}

function severalUnknown(unknown: readonly UnknownValue[], count: number): string {
  const shown = unknown.slice(0, FEW).map(({ value }) => JSON.stringify(value));
  const more = unknown.length > FEW ? ` and ${grouped(unknown.length - FEW)} more` : '';
  const names = `${shown.join(', ')}${more}`;
  if (unknown.length === count) return `Kerf has no data on ${names}`;
  return `${grouped(unknown.length)} of ${grouped(count)} values are unknown: ${names}`;
}

/** The suggestions for the first values, without duplicates; the allowed values if there are no suggestions. */
function allowedInstead(unknown: readonly UnknownValue[]): string {
  const few = unknown.slice(0, FEW);
  const meant = new Set(few.flatMap((one) => one.meant?.() ?? []));
  return meant.size > 0 ? listNames([...meant]) : (few[0]?.allowed() ?? '');
}

/** True if types that are not in the bundled data may meet the requirement and the matching ones are not known. */
export function namesOtherTypes({ key, choice, requirement }: Asked, { types }: KnownFigures): boolean {
  if (choice === undefined) return types.meeting(requirement) === 0n && mayMeetNewer(requirement, types);
  return choice.values.some((value) => isLeftOut(key, value) || mayBeNewer(key, value, types));
}

function whyUnknown(key: string, value: string, figures: KnownFigures): Unknown | undefined {
  if (key === ZONE) return whyNoZone(value, figures.zones);
  if (key === REGION) return whyNoRegion(value);
  if (key === CAPACITY_TYPE) return whyNoCapacityType(value, figures);
  if (key === INSTANCE_MEMORY) return whyNoMemory(value, figures.types);
  const noun = NOUNS.get(key);
  if (noun === undefined || figures.types.hasValue(key, value) || isLeftOut(key, value)) return undefined;
  if (mayBeNewer(key, value, figures.types)) return newerThan(key, figures.typesAsOf);
  return { message: `is not a known ${noun}`, ...meantBy(key, value, figures) };
}

/** The functions read the types from EC2, so they may find it. */
function newerThan(key: string, asOf: string): Unknown {
  const what = key === INSTANCE_TYPE || key === INSTANCE_FAMILY ? 'a name' : 'a value of a type';
  return {
    message: `is not known to this version of Kerf, which has the instance types of ${asOf.slice(0, 10)}`,
    allowed: () => `${what} that \`aws ec2 describe-instance-types\` lists`,
    mayExist: true,
  };
}

function whyNoCapacityType(value: string, { suggest }: KnownFigures): Unknown | undefined {
  if (CAPACITY_TYPES.some((known) => known === value)) return undefined;
  const allowed = () => suggest(value, CAPACITY_TYPES) ?? `one of ${CAPACITY_TYPES.join(', ')}`;
  return { message: 'is not a capacity type', allowed };
}
