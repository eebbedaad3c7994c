import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BadInputError } from '../../lib/apis/bad-input-error.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { samples } from '../samples.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod } from './documents.ts';

const RUN = { seed: 20_260_131, numRuns: samples(2_000, 400) };

const WHOLE = aDocument({
  nodes: [aGivenNode()],
  nodeClaims: [aGivenClaim()],
  pods: [
    aGivenPod('web-1', {
      nodeSelector: { team: 'a' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] } },
    }),
  ],
  pdbs: [{ metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } } } }],
  nominations: ['node-1'],
  unavailableOfferings: [{ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' }],
});

const ODD = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'x', '-1', '1e9999', '__proto__', '2026-13-01T00:00:00Z', [], {}, [null], {
    x: null,
  }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
);

/** The document with one value replaced. Each step of the path selects a field by a fraction. */
function spoilt(value: unknown, way: readonly number[], odd: unknown): unknown {
  const [step, ...rest] = way;
  if (step === undefined || typeof value !== 'object' || value === null) return odd;
  const entries = Object.entries(value);
  const chosen = Math.min(Math.floor(step * entries.length), entries.length - 1);
  const changed = entries.map(([name, field], index) => [name, index === chosen ? spoilt(field, rest, odd) : field]);
  return Array.isArray(value) ? changed.map(([, field]) => field) : Object.fromEntries(changed);
}

test('a snapshot with any value in any field is read, or rejected with the path', () => {
  const way = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 });
  let refused = 0;
  fc.assert(
    fc.property(way, ODD, (steps, odd) => {
      const text = JSON.stringify(spoilt(WHOLE, steps, odd));
      try {
        readSnapshot({ readText: () => text }, { path: 'a.json', nowMs: 0 });
      } catch (error) {
        refused += 1;
        expect(error).toBeInstanceOf(BadInputError);
        expect(String(error)).toMatch(/a\.json: [a-zA-Z]+(?:\[\d+\]|\.|: )/);
      }
    }),
    RUN,
  );
  expect(refused).toBeGreaterThan(RUN.numRuns / 4);
});
