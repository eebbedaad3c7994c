import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareText } from '../../../lib/core/compare-text.ts';
import { formatPath } from '../../../lib/manifests/explain/problem.ts';
import type { ReadKind } from '../../../lib/manifests/read/classify.ts';
import { readObject } from '../../../lib/manifests/read/read-object.ts';

/**
 * Random objects with the verdicts of the real API server's validator on Karpenter's CRDs and of Karpenter's own checks.
 * `test/oracle/crds` made them; its README says how.
 */
interface Case {
  readonly object: Readonly<Record<string, unknown>>;
  /** Accepted by both; unknown fields do not count. */
  readonly valid: boolean;
  readonly unknownFields?: readonly string[];
}

const KINDS = ['NodePool', 'EC2NodeClass', 'NodeClaim', 'NodeOverlay', 'CapacityBuffer'] as const;

function textOf(name: string): string {
  return readFileSync(new URL(`../../fixtures/api-server/${name}.json`, import.meta.url), 'utf8');
}

function casesOf(kind: ReadKind): readonly Case[] {
  const { cases }: { readonly cases: readonly Case[] } = JSON.parse(textOf(kind));
  return cases;
}

const UNKNOWN_FIELD = /^this field does not (?:exist|belong)/;

/** What we say: accepted or not, and whether a field is unknown. */
function verdictOn(
  kind: ReadKind,
  object: Case['object'],
): { readonly faults: readonly string[]; readonly unknown: boolean } {
  const faults: string[] = [];
  let unknown = false;
  readObject(kind, object, (path, message) => {
    if (UNKNOWN_FIELD.test(message)) unknown = true;
    else faults.push(`${formatPath(path)}: ${message}`);
  });
  return { faults, unknown };
}

/**
 * The server takes an EC2NodeClass without a spec, which selects nothing; `kerf validate` warns of it. And the oracle has the
 * kubelet's expressions switched off, which Kerf has on (A3.17).
 */
function isExplained(kind: ReadKind, { object }: Case): boolean {
  if (kind !== 'EC2NodeClass') return false;
  return (object['spec'] ?? null) === null || JSON.stringify(object).includes('"vcpus * 10"');
}

describe.each(KINDS)('random objects of kind %s', (kind) => {
  const cases = casesOf(kind);

  test('are many, and neither all good nor all bad', () => {
    const valid = cases.filter((one) => one.valid).length / cases.length;
    expect(cases.length).toBeGreaterThanOrEqual(500);
    expect(valid).toBeGreaterThan(0.3);
    expect(valid).toBeLessThan(0.7);
  });

  test("have the API server's and Karpenter's verdict", () => {
    const different = cases
      .filter((one) => !isExplained(kind, one))
      .flatMap((one) => {
        const { faults } = verdictOn(kind, one.object);
        return (faults.length === 0) === one.valid
          ? []
          : [{ theirs: one.valid, faults, object: JSON.stringify(one.object) }];
      });
    expect(different).toEqual([]);
  });

  test('have their unknown fields named where that is all', () => {
    const different = cases
      .filter(({ valid }) => valid)
      .flatMap((one) => {
        const theirs = (one.unknownFields ?? []).filter((path) => !path.startsWith('status'));
        return verdictOn(kind, one.object).unknown === theirs.length > 0
          ? []
          : [{ theirs, object: JSON.stringify(one.object) }];
      });
    expect(different).toEqual([]);
  });
});

interface Defaulted {
  readonly kind: ReadKind;
  readonly object: Case['object'];
  readonly defaulted: unknown;
}

describe('objects are completed as the API server does it (A1.8 to A1.19, A3.23)', () => {
  const { cases }: { readonly cases: readonly Defaulted[] } = JSON.parse(textOf('defaults'));

  test.each(KINDS)('%s', (kind) => {
    // What has a field that does not exist is refused here, and cut by the server.
    const whole = cases.filter((one) => one.kind === kind && !verdictOn(kind, one.object).unknown);
    const different = whole.flatMap(({ object, defaulted }) => {
      const read = readObject(kind, object, () => undefined);
      const spec = read !== undefined && 'spec' in read.object ? read.object.spec : undefined;
      return JSON.stringify(sorted(spec)) === JSON.stringify(sorted(defaulted)) ? [] : [{ object, spec, defaulted }];
    });
    expect(whole.length).toBeGreaterThan(20);
    expect(different).toEqual([]);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([name, field]) => [name, sorted(field)]),
  );
}
