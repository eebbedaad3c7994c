import { INSTANCE_MEMORY } from '../../apis/labels.ts';
import type { Requirement } from '../../core/requirements/requirement.ts';
import { intersect } from '../../core/requirements/requirement.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { type Asked, fieldPathOf } from './values/asked.ts';
import type { KnownFigures } from './values/known-figures.ts';
import { labelContradictions, placeContradictions } from './values/place-contradictions.ts';
import { countOf, type KnownTypeIndex, type TypeSet } from './values/type-index.ts';
import { namesOtherTypes, unknownValues } from './values/unknown-values.ts';
import { grouped, listNames } from './values/words.ts';

export interface RequirementAdvice {
  readonly problems: readonly FieldProblem[];
  /** The types that meet all requirements; undefined where none does or where this is unknown. */
  readonly types?: TypeSet;
}

/**
 * Warns of requirements that no instance type of EC2 meets. Only labels of instance types are checked (A0.5). *Shape:* each
 * requirement that no type meets; if there are none, the first one that contradicts the requirements before it.
 */
export function requirementAdvice(
  asked: readonly Asked[],
  figures: KnownFigures,
  consequence: string,
): RequirementAdvice {
  const { types } = figures;
  const unknown = asked.flatMap((one) => unknownValues(one, figures, consequence));
  const ofTypes = asked.filter(({ key }) => types.has(key));
  const unclear = ofTypes.some((one) => namesOtherTypes(one, figures));
  const unmet = ofTypes.filter((one) => types.meeting(one.requirement) === 0n);
  const impossible = unmet.filter((one) => !namesOtherTypes(one, figures));
  const newer = unmet.filter((one) => namesOtherTypes(one, figures));
  const alone = [
    ...impossible.map((one) => metByNone(one, types, consequence)),
    // Of a list, the unknown values are reported.
    ...newer.filter(({ choice }) => choice === undefined).map((one) => metByNoneKnown(one, figures)),
  ].filter(({ path }) => !unknown.some((one) => one.path.join('.') === path.join('.')));
  const places = placeContradictions(asked, consequence);
  const others = labelContradictions(asked, types);
  const problems = [...unknown, ...alone, ...places, ...others];
  if (unclear || impossible.length > 0) return { problems };
  const together = allTogether(ofTypes, types, consequence);
  return { ...together, problems: [...problems, ...together.problems] };
}

function metByNone(one: Asked, types: KnownTypeIndex, consequence: string): FieldProblem {
  return {
    path: fieldPathOf(one),
    message: `none of ${grouped(types.size)} instance types meets ${one.written}, ${consequence}`,
    allowed: metBySome(one, types),
  };
}

/** The functions read the types from EC2, so they may find newer ones. */
function metByNoneKnown(one: Asked, { types, typesAsOf }: KnownFigures): FieldProblem {
  const known = `instance types of ${typesAsOf.slice(0, 10)}, which this version of Kerf has,`;
  return {
    path: fieldPathOf(one),
    message: `none of ${grouped(types.size)} ${known} meets ${one.written}`,
    allowed: `${metBySome(one, types)}, or check that \`aws ec2 describe-instance-types\` lists a newer one`,
  };
}

function metBySome({ key }: Asked, types: KnownTypeIndex): string {
  const known = types.valuesAmong(key, types.all);
  const numbers = known.map(Number);
  return numbers.every((number) => Number.isInteger(number))
    ? `a condition that some type meets: the values range from ${Math.min(...numbers)} to ${Math.max(...numbers)}${key === INSTANCE_MEMORY ? ', in MiB' : ''}`
    : `a condition that some type meets: values are ${listNames(known)}`;
}

function allTogether(asked: readonly Asked[], types: KnownTypeIndex, consequence: string): RequirementAdvice {
  const byKey = new Map<string, Requirement>();
  let left = types.all;
  for (const [index, one] of asked.entries()) {
    const known = byKey.get(one.key);
    const both = known === undefined ? one.requirement : intersect(known, one.requirement);
    byKey.set(one.key, both);
    const rest = left & types.meeting(both);
    if (rest === 0n)
      return { problems: [contradiction(one, { before: asked.slice(0, index), left, types }, consequence)] };
    left = rest;
  }
  return { problems: [], types: left };
}

interface Before {
  readonly before: readonly Asked[];
  readonly left: TypeSet;
  readonly types: KnownTypeIndex;
}

/** Reports the earlier requirements that this one contradicts: a single one if that is enough, else all. */
function contradiction(one: Asked, { before, left, types }: Before, consequence: string): FieldProblem {
  const own = types.meeting(one.requirement);
  const enough = before.filter(({ requirement }) => (types.meeting(requirement) & own) === 0n);
  const narrowing = before.filter(({ requirement }) => types.meeting(requirement) !== types.all);
  const against = enough.length > 0 ? enough.slice(0, 1) : narrowing;
  const names = against.map(({ written }) => written).join(' and ');
  const [count, meet] = [grouped(countOf(left)), countOf(left) === 1 ? 'meets' : 'meet'];
  return {
    path: fieldPathOf(one),
    message: `${one.written} contradicts ${names}: ${count} of ${grouped(types.size)} instance types ${meet} the requirements before it, and none of those meets this one, ${consequence}`,
    allowed: `${wanted(one, types.valuesAmong(one.key, left))}, or change the other requirement`,
  };
}

const MAX_NUMBERS = 6;

/** Describes the values of the remaining types. The text completes "write …". */
function wanted({ key, choice }: Asked, values: readonly string[]): string {
  const [first] = values;
  if (first === undefined) return `no ${key}`;
  if (values.length === 1)
    return choice === undefined ? `a condition on ${key} that ${first} meets` : `${first} as ${key}`;
  const numbers = values.map(Number).toSorted((a, b) => a - b);
  if (!numbers.every(Number.isInteger)) return `one of ${listNames(values)} as ${key}`;
  const range = `from ${numbers[0]} to ${numbers.at(-1)}`;
  if (choice === undefined) return `a condition on ${key} that some number ${range} meets`;
  return `${numbers.length <= MAX_NUMBERS ? `one of ${numbers.join(', ')}` : `one of its numbers ${range}`} as ${key}`;
}
