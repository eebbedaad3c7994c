import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import type { NodePoolRequirement } from '../../../lib/apis/node-pool.ts';
import {
  admits,
  admitsNothing,
  allowsAbsence,
  implies,
  intersect,
  overlaps,
  type Requirement,
  requirement,
  toNodeSelectorRequirements,
} from '../../../lib/core/requirements/requirement.ts';
import { merge, type Requirements, whyIncompatible } from '../../../lib/core/requirements/requirements.ts';
import { samples } from '../../samples.ts';

const RUN = { seed: 20_260_131, numRuns: samples(2_000) };
const KEY = 'size';

const value = fc.constantFrom(
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '-1',
  'a',
  'b',
  '10',
  '003',
  '+4',
  '9007199254740993',
  '9223372036854775808',
);
const values = fc.uniqueArray(value, { minLength: 1, maxLength: 4 });
const bound = fc.constantFrom('0', '1', '2', '3', '4', '003', '9007199254740992', '9223372036854775807');

const plainlyAsked: fc.Arbitrary<NodeSelectorRequirement> = fc.oneof(
  fc.record({ key: fc.constant(KEY), operator: fc.constantFrom('In' as const, 'NotIn' as const), values }),
  fc.record({ key: fc.constant(KEY), operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  fc.record({
    key: fc.constant(KEY),
    operator: fc.constantFrom('Gt' as const, 'Lt' as const, 'Gte' as const, 'Lte' as const),
    values: fc.tuple(bound),
  }),
);

const asked: fc.Arbitrary<NodePoolRequirement> = fc
  .tuple(plainlyAsked, fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }))
  .map(([from, minValues]) => (minValues === undefined ? from : { ...from, minValues }));

/** One requirement of the API, or several combined. */
const any: fc.Arbitrary<Requirement> = fc
  .array(asked, { minLength: 1, maxLength: 3 })
  .map((list) => list.map(requirement).reduce(intersect));

const label = fc.option(value, { nil: undefined });

/** The requirement as plain data, its values in order. */
function plain(one: Requirement): unknown {
  return { ...one, values: [...one.values].toSorted() };
}

test('an intersection is met if both requirements are met, also by an absent label (A0.4)', () => {
  fc.assert(
    fc.property(any, any, label, (a, b, text) => {
      expect(admits(intersect(a, b), text)).toBe(admits(a, text) && admits(b, text));
    }),
    RUN,
  );
});

test('intersection is commutative', () => {
  fc.assert(
    fc.property(any, any, (a, b) => {
      expect(plain(intersect(a, b))).toEqual(plain(intersect(b, a)));
    }),
    RUN,
  );
});

test('intersection is associative', () => {
  fc.assert(
    fc.property(any, any, any, label, (...[a, b, c, text]) => {
      const [left, right] = [intersect(intersect(a, b), c), intersect(a, intersect(b, c))];
      expect(plain(left)).toEqual(plain(right));
      expect(admits(left, text)).toBe(admits(right, text));
    }),
    RUN,
  );
});

test('the intersection of a requirement with itself is the requirement', () => {
  fc.assert(
    fc.property(any, (a) => {
      expect(plain(intersect(a, a))).toEqual(plain(a));
    }),
    RUN,
  );
});

test('two requirements overlap if their intersection is not empty', () => {
  fc.assert(
    fc.property(any, any, (a, b) => {
      expect(overlaps(a, b)).toBe(!admitsNothing(intersect(a, b)));
      expect(overlaps(a, b)).toBe(overlaps(b, a));
    }),
    RUN,
  );
});

test('two requirements that admit the same value overlap', () => {
  fc.assert(
    fc.property(any, any, value, (a, b, text) => {
      if (admits(a, text) && admits(b, text)) expect(overlaps(a, b)).toBe(true);
    }),
    RUN,
  );
});

test('a requirement that implies another admits only what the other admits', () => {
  fc.assert(
    fc.property(any, any, label, (a, b, text) => {
      if (implies(a, b) && admits(a, text)) expect(admits(b, text)).toBe(true);
    }),
    RUN,
  );
});

test('implication is reflexive and transitive', () => {
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      expect(implies(a, a)).toBe(true);
      if (implies(a, b) && implies(b, c)) expect(implies(a, c)).toBe(true);
      const narrow = intersect(intersect(a, b), c);
      expect(implies(narrow, intersect(a, b))).toBe(true);
    }),
    RUN,
  );
});

const several: fc.Arbitrary<Requirements> = fc
  .uniqueArray(fc.tuple(fc.constantFrom('size', 'team', 'topology.kubernetes.io/zone'), any), {
    selector: ([key]) => key,
    maxLength: 3,
  })
  .map((list) => new Map(list.map(([key, each]) => [key, { ...each, key }])));

test('labels that are compatible with requirements are compatible with a part of them (A0.5)', () => {
  fc.assert(
    fc.property(several, several, several, (offered, some, more) => {
      if (whyIncompatible(offered, merge(some, more)) !== undefined) return;
      expect(whyIncompatible(offered, some)).toBeUndefined();
      expect(whyIncompatible(offered, more)).toBeUndefined();
    }),
    RUN,
  );
});

test('allowing undefined labels makes no requirements incompatible (A0.5)', () => {
  fc.assert(
    fc.property(several, several, (offered, wanted) => {
      if (whyIncompatible(offered, wanted, new Set()) === undefined)
        expect(whyIncompatible(offered, wanted)).toBeUndefined();
    }),
    RUN,
  );
});

test('an intersection implies both requirements', () => {
  fc.assert(
    fc.property(any, any, (a, b) => {
      expect(implies(intersect(a, b), a)).toBe(true);
      expect(implies(intersect(a, b), b)).toBe(true);
    }),
    RUN,
  );
});

test('the label may be absent if absence is admitted', () => {
  fc.assert(
    fc.property(any, (a) => {
      expect(allowsAbsence(a)).toBe(admits(a, undefined));
    }),
    RUN,
  );
});

test('a requirement that is written in the form of the API is read as the same requirement', () => {
  fc.assert(
    fc.property(any, label, (a, text) => {
      const again = toNodeSelectorRequirements(a).map(requirement).reduce(intersect);
      expect(admits(again, text)).toBe(admits(a, text));
    }),
    RUN,
  );
});
