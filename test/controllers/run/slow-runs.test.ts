import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { StaleLeaseError, UnreachableError } from '../../../lib/ports/errors.ts';
import { LEASE_MS } from '../../../lib/ports/leases.ts';
import type { SimulatedInvocation, WrapInvocation } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { around, type PortCall } from '../../../lib/simulator/faults.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { expectAllGone, expectOneClaimAPod, expectOneInstanceAClaim, live, SMALL_CATALOGUE } from '../life.ts';

/** The outcome of the first call of a method, in each invocation of provisioning. */
function watching(before: (call: PortCall, invocation: SimulatedInvocation) => Promise<void>): {
  readonly wrapInvocation: WrapInvocation;
  readonly outcomes: Map<string, unknown>;
} {
  const outcomes = new Map<string, unknown>();
  const wrapInvocation: WrapInvocation = (ports, invocation) => {
    if (invocation.function !== 'provisioning') return ports;
    return around(ports, async (call, go) => {
      await before(call, invocation);
      try {
        const answer = await go();
        outcomes.set(`${invocation.nth} ${call.method}`, 'done');
        return answer;
      } catch (error) {
        outcomes.set(`${invocation.nth} ${call.method}`, error);
        throw error;
      }
    });
  };
  return { wrapInvocation, outcomes };
}

function notesOf(result: SimulationResult): readonly string[] {
  return result.timeline.flatMap((entry) => (entry.kind === 'function-failed' ? [entry.message] : []));
}

describe('a run that takes too long', () => {
  test('its lease expires, another invocation takes it over, and the slow one cannot record a decision', async () => {
    const taken = Promise.withResolvers<void>();
    const { wrapInvocation, outcomes } = watching(async ({ method }, { nth }) => {
      // The first invocation is frozen before it records, and does not renew its lease.
      if (nth === 1 && method === 'leases.renew') throw new UnreachableError('frozen');
      if (nth === 1 && method === 'store.recordDecision') await taken.promise;
      // It is listed under the lease.
      if (nth > 1 && method === 'cluster.listPods') taken.resolve();
    });
    const result = await live({ catalogue: SMALL_CATALOGUE, wrapInvocation });
    expect(outcomes.get('1 store.recordDecision')).toBeInstanceOf(StaleLeaseError);
    expect([...outcomes].filter(([call, outcome]) => /recordDecision/.test(call) && outcome === 'done')).not.toEqual(
      [],
    );
    const [first] = result.timeline.filter((entry) => entry.kind === 'create-node-claim');
    expect(first?.at).toBeGreaterThan(LEASE_MS / SECOND_MS);
    expectOneInstanceAClaim(result);
    expectOneClaimAPod(result);
    expectAllGone(result);
  });

  test.each(['cluster.listPods', 'store.recordDecision', 'store.createNodeClaim', 'store.closeDecision'])(
    'it is abandoned at its time limit in %s, and its messages are delivered again: nothing is lost or done twice',
    async (method) => {
      const { wrapInvocation } = watching(async (call, { nth }) => {
        if (nth === 1 && call.method === method) await new Promise<never>(() => {});
      });
      const result = await live({ catalogue: SMALL_CATALOGUE, wrapInvocation });
      expect(notesOf(result)).toEqual([expect.stringMatching(/^the run was abandoned after 5\d{4} ms/)]);
      expectOneInstanceAClaim(result);
      expectOneClaimAPod(result);
      expectAllGone(result);
    },
  );

  test('it is abandoned and continues later: its late calls are rejected or change nothing', async () => {
    const { wrapInvocation, outcomes } = watching(async (call, { nth, ended }) => {
      if (nth === 1 && call.method === 'store.recordDecision') await ended;
    });
    const result = await live({ catalogue: SMALL_CATALOGUE, wrapInvocation });
    expect(outcomes.has('1 store.recordDecision')).toBe(true);
    expectOneInstanceAClaim(result);
    expectOneClaimAPod(result);
    expectAllGone(result);
  });
});
