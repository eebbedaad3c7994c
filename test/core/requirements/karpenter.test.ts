import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RequirementOperator } from '../../../lib/apis/kubernetes.ts';
import { WELL_KNOWN_LABELS } from '../../../lib/apis/labels.ts';
import {
  admits,
  allowsAbsence,
  intersect,
  overlaps,
  type Requirement,
  requirement,
} from '../../../lib/core/requirements/requirement.ts';
import { type Requirements, requirementsFrom, whyIncompatible } from '../../../lib/core/requirements/requirements.ts';

/** What Karpenter's own algebra makes of each (test/oracle/values). Operands, labels and probes are named by their place. */
interface Fixture {
  readonly operands: readonly (readonly [RequirementOperator, readonly string[]])[];
  readonly probes: readonly string[];
  /** Two operands; operator, values and bounds of their intersection; whether they have one; a bit for each probe. */
  readonly pairs: readonly (readonly [number, number, ...Outcome, boolean, string])[];
  /** Of two requirements, and of their intersection. */
  readonly minValues: readonly (readonly [number | null, number | null, number | null])[];
  readonly keys: readonly string[];
  /** Two lists of label and operand; a bit: a offers what b asks, so with well-known labels let off, and the reverse. */
  readonly compatible: readonly (readonly [List, List, string])[];
}
type Outcome = readonly [RequirementOperator, readonly string[], string | null, string | null];
type List = readonly (readonly [number, number])[];

const fixture: Fixture = JSON.parse(readFileSync('test/fixtures/values/requirements.json', 'utf8'));
const operands = fixture.operands.map(([operator, values]) => requirement({ key: 'size', operator, values }));

function operand(index: number): Requirement {
  const found = operands[index];
  if (found === undefined) throw new RangeError(`${index} is not an operand`);
  return found;
}

function flexible(minValues: number | null, bound: '2' | '5' | '50'): Requirement {
  const from = { key: 'size', operator: bound === '5' ? ('Gt' as const) : ('Lt' as const), values: [bound] };
  return requirement(minValues === null ? from : { ...from, minValues });
}

function outcome({ complement, values, gte, lte }: Requirement): Outcome {
  const [some, none] = complement ? (['NotIn', 'Exists'] as const) : (['In', 'DoesNotExist'] as const);
  const list = [...values].toSorted();
  return [list.length > 0 ? some : none, list, gte?.toString() ?? null, lte?.toString() ?? null];
}

/** Karpenter knows by the operator alone whether the label may be absent (A0.5). */
function mayBeAbsentThere(operator: RequirementOperator): boolean {
  return operator === 'NotIn' || operator === 'DoesNotExist';
}

function readsOtherwise(one: Requirement): boolean {
  return mayBeAbsentThere(outcome(one)[0]) !== allowsAbsence(one);
}

describe('each operator with each operator, as Karpenter has it (A0.4)', () => {
  test('the same intersections', () => {
    expect(fixture.pairs.length).toBeGreaterThan(2_500);
    const ours = fixture.pairs.map(([a, b]) => [a, b, ...outcome(intersect(operand(a), operand(b)))]);
    expect(ours).toEqual(fixture.pairs.map((pair) => pair.slice(0, 6)));
  });

  test('the same answer where only that is asked for', () => {
    const ours = fixture.pairs.map(([a, b]) => overlaps(operand(a), operand(b)));
    expect(ours).toEqual(fixture.pairs.map((pair) => pair[6]));
  });

  test('the same values admitted', () => {
    const ours = fixture.pairs.map(([a, b]) => {
      const both = intersect(operand(a), operand(b));
      return fixture.probes.map((probe) => (admits(both, probe) ? '1' : '0')).join('');
    });
    expect(ours).toEqual(fixture.pairs.map((pair) => pair[7]));
  });

  test('the absent label is admitted where both admit it', () => {
    const different = fixture.pairs.filter(([a, b, operator]) => {
      const ours = allowsAbsence(intersect(operand(a), operand(b)));
      expect(ours).toBe(allowsAbsence(operand(a)) && allowsAbsence(operand(b)));
      return ours !== mayBeAbsentThere(operator);
    });
    // Deliberate: there a contradiction turns into DoesNotExist, and NotIn beside Exists or a bound makes it forget that
    // the label must be there; kube-scheduler binds no pod on either ground.
    expect(different).not.toEqual([]);
    expect(different.filter(([, , operator]) => !mayBeAbsentThere(operator))).toEqual([]);
  });

  test('the larger minValues stays (A1.6)', () => {
    for (const [a, b, both] of fixture.minValues) {
      for (const far of ['2', '50'] as const)
        expect(intersect(flexible(a, '5'), flexible(b, far)).minValues ?? null).toBe(both);
    }
  });
});

describe('what is offered meets what is asked, as Karpenter has it (A0.5)', () => {
  const listed = (list: List): Requirements =>
    requirementsFrom(
      list.map(([key, index]) => {
        const [operator, values] = fixture.operands[index] ?? ['In', []];
        return { key: fixture.keys[key] ?? '', operator, values };
      }),
    );

  test('the same verdicts, both ways, with undefined well-known labels and without', () => {
    const none: ReadonlySet<string> = new Set();
    const different = fixture.compatible.filter(([left, right, theirs]) => {
      const [a, b] = [listed(left), listed(right)];
      const verdicts = [
        whyIncompatible(a, b, none),
        whyIncompatible(a, b, WELL_KNOWN_LABELS),
        whyIncompatible(b, a, none),
        whyIncompatible(b, a, WELL_KNOWN_LABELS),
      ];
      const ours = verdicts.map((why) => (why === undefined ? '1' : '0')).join('');
      expect(verdicts.filter((why, index) => why === undefined && theirs[index] === '0')).toEqual([]);
      return ours !== theirs;
    });
    expect(fixture.compatible.length).toBeGreaterThan(500);
    // Deliberate: it says yes where it has forgotten that a label must be there (above), never no where we say yes.
    const unexplained = different.filter(([left, right]) =>
      [...listed(left).values(), ...listed(right).values()].every((one) => !readsOtherwise(one)),
    );
    expect(unexplained).toEqual([]);
    expect(different.length).toBeLessThan(fixture.compatible.length / 5);
  });
});
