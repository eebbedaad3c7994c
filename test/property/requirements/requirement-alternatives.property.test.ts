import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Labels, NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import { requirementsFrom, whyLabelsFail } from '../../../lib/core/requirements/requirements.ts';
import {
  type Alternatives,
  crossProduct,
  MAX_ALTERNATIVES,
  reduced,
} from '../../../lib/core/scheduling/volumes/requirement-alternatives.ts';
import { samples } from '../../samples.ts';

const RUN = { seed: 20_260_131, numRuns: samples(3_000) };

const key = fc.constantFrom('zone', 'rack', 'disk');
const value = fc.constantFrom('1', '2', '3');
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });

const asked: fc.Arbitrary<NodeSelectorRequirement> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ key, operator: fc.constant('In' as const), values }) },
  { weight: 1, arbitrary: fc.record({ key, operator: fc.constant('NotIn' as const), values }) },
  { weight: 1, arbitrary: fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }) },
  { weight: 1, arbitrary: fc.record({ key, operator: fc.constant('Gt' as const), values: fc.tuple(value) }) },
);

const alternatives: fc.Arbitrary<Alternatives> = fc.array(fc.array(asked, { maxLength: 3 }).map(requirementsFrom), {
  maxLength: 5,
});

const EVERY_NODE: readonly Labels[] = nodesOf(['zone', 'rack', 'disk']);

function nodesOf([first, ...rest]: readonly string[]): readonly Labels[] {
  if (first === undefined) return [{}];
  const others = nodesOf(rest);
  return [...others, ...['1', '2', '3'].flatMap((one) => others.map((labels) => ({ ...labels, [first]: one })))];
}

/** The nodes that meet at least one of them. */
function nodesMeeting(all: Alternatives | undefined): readonly Labels[] {
  return EVERY_NODE.filter((labels) => all?.some((one) => whyLabelsFail(labels, one) === undefined));
}

/** So many alternatives, of which no two can be merged. */
function many(size: number): Alternatives {
  return Array.from({ length: size }, (_, index) =>
    requirementsFrom([
      { key: 'zone', operator: 'In', values: [`${index}`] },
      { key: 'rack', operator: 'In', values: [`${index}`] },
    ]),
  );
}

test('the same nodes meet the alternatives after they are merged (B42)', () => {
  fc.assert(
    fc.property(alternatives, (all) => {
      const fewer = reduced(all);
      expect(fewer?.length).toBeLessThanOrEqual(all.length);
      expect(nodesMeeting(fewer)).toEqual(nodesMeeting(all));
    }),
    RUN,
  );
});

test('the nodes that meet two sets of alternatives meet their combination (B42)', () => {
  fc.assert(
    fc.property(alternatives, alternatives, (a, b) => {
      const both = new Set(nodesMeeting(b));
      expect(nodesMeeting(crossProduct(a, b))).toEqual(nodesMeeting(a).filter((node) => both.has(node)));
    }),
    RUN,
  );
});

test('the number of alternatives never exceeds the bound (B42)', () => {
  expect(reduced(many(MAX_ALTERNATIVES))).toHaveLength(MAX_ALTERNATIVES);
  expect(reduced(many(MAX_ALTERNATIVES + 1))).toBeUndefined();
});
