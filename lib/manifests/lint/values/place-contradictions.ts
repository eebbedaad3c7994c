import { REGION, ZONE } from '../../../apis/labels.ts';
import { PLACE_LABELS } from '../../../core/instance-type/suitable-types.ts';
import { admitsNothing, allowsAbsence, intersect, type Requirement } from '../../../core/requirements/requirement.ts';
import type { FieldProblem } from '../../../core/validation/field-problem.ts';
import { type Asked, fieldPathOf } from './asked.ts';
import type { KnownTypeIndex } from './type-index.ts';
import { regionOf } from './zones.ts';

/** Warns of requirements on zone, region and capacity type that exclude every offering. */
export function placeContradictions(asked: readonly Asked[], consequence: string): readonly FieldProblem[] {
  const keys = [...PLACE_LABELS, REGION];
  const within = keys.flatMap((key) => sameLabel(asked, key, consequence));
  return within.length > 0 ? within : zonesOutsideRegion(asked, consequence);
}

/**
 * Warns of two requirements on any other label that no node can meet together. *Shape:* excludes labels of instance types,
 * which are checked against the existing types, and the template's own labels.
 */
export function labelContradictions(asked: readonly Asked[], types: KnownTypeIndex): readonly FieldProblem[] {
  const others = asked.filter(
    ({ key, path }) => !types.has(key) && !PLACE_LABELS.has(key) && key !== REGION && typeof path.at(-1) === 'number',
  );
  return [...Map.groupBy(others, ({ key }) => key).values()].flatMap((ofKey) => {
    let both = ofKey[0]?.requirement;
    for (const [index, one] of ofKey.entries()) {
      if (both === undefined || index === 0) continue;
      both = intersect(both, one.requirement);
      if (!admitsNothing(both) || allowsAbsence(both)) continue;
      const before = ofKey.slice(0, index);
      const enough = before.filter((earlier) => !overlapping(earlier, one)).slice(0, 1);
      const names = (enough.length > 0 ? enough : before).map(({ written }) => written).join(' and ');
      const message = `${one.written} contradicts ${names}, so no node can meet both`;
      return [{ path: one.path, message, allowed: 'only one of them, or values that meet both' }];
    }
    return [];
  });
}

function overlapping(a: Asked, b: Asked): boolean {
  const both = intersect(a.requirement, b.requirement);
  return !admitsNothing(both) || allowsAbsence(both);
}

function sameLabel(asked: readonly Asked[], key: string, consequence: string): readonly FieldProblem[] {
  let before: Requirement | undefined;
  const earlier: Asked[] = [];
  for (const one of asked) {
    if (one.key !== key) continue;
    const both = before === undefined ? one.requirement : intersect(before, one.requirement);
    if (admitsNothing(both)) return [emptied(one, earlier, consequence)];
    before = both;
    earlier.push(one);
  }
  return [];
}

function emptied(one: Asked, earlier: readonly Asked[], consequence: string): FieldProblem {
  const path = fieldPathOf(one);
  if (earlier.length === 0) {
    const message = `leaves no value of ${one.key}, which every node has, ${consequence}`;
    return { path, message, allowed: 'the allowed values with the operator In' };
  }
  const others = earlier.map(({ written }) => written).join(' and ');
  return {
    path,
    message: `contradicts ${others}, ${consequence}`,
    allowed: 'only one of them, or values that meet both',
  };
}

function zonesOutsideRegion(asked: readonly Asked[], consequence: string): readonly FieldProblem[] {
  const regions = choices(asked, REGION);
  const allowed = `zones of ${[...new Set(regions.flatMap(({ values }) => values))].join(', ')}, or change the region requirement`;
  return choices(asked, ZONE).flatMap(({ path, values }) => {
    const actual = [...new Set(values.map((zone) => regionOf(zone)))];
    const apart = actual.every(
      (region) => region !== undefined && regions.some(({ values: one }) => !one.includes(region)),
    );
    if (regions.length === 0 || !apart) return [];
    const message = `has only zones of ${actual.join(', ')}, but ${regions[0]?.written} requires another region, ${consequence}`;
    return [{ path, message, allowed }];
  });
}

function choices(asked: readonly Asked[], key: string) {
  return asked.flatMap(({ key: of, choice, written }) =>
    of === key && choice !== undefined ? [{ ...choice, written }] : [],
  );
}
