import { isRecord, ownField } from '../../apis/record.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';

const TERMS = [
  'subnetSelectorTerms',
  'securityGroupSelectorTerms',
  'amiSelectorTerms',
  'capacityReservationSelectorTerms',
];

/**
 * Warns of tags without a value in the terms of an EC2NodeClass as it is written: the API server removes them, and a term without
 * tags selects everything.
 */
export function nullTagAdvice(nodeClass: unknown): readonly FieldProblem[] {
  const spec = isRecord(nodeClass) ? ownField(nodeClass, 'spec') : undefined;
  return TERMS.flatMap((field) => {
    const terms: unknown = isRecord(spec) ? ownField(spec, field) : undefined;
    return Array.isArray(terms) ? terms.flatMap((term: unknown, index) => inTerm(term, ['spec', field, index])) : [];
  });
}

function inTerm(term: unknown, path: FieldProblem['path']): readonly FieldProblem[] {
  const tags: unknown = isRecord(term) ? ownField(term, 'tags') : undefined;
  if (!isRecord(tags)) return [];
  const names = Object.keys(tags).filter((name) => tags[name] === null);
  const isAll = names.length === Object.keys(tags).length;
  const so = isAll ? 'and the term selects everything in the region' : 'and the term selects without it';
  return names.map((name) => ({
    path: [...path, 'tags', name],
    message: `has no value, so the API server removes the tag, ${so}`,
    allowed: `its value, or "*" for any value`,
  }));
}
