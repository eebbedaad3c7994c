import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { FunctionName, WrapInvocation } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { around } from '../../../lib/simulator/faults.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import {
  expectAllGone,
  expectOneClaimAPod,
  expectOneInstanceAClaim,
  launchedFor,
  live,
  SMALL_CATALOGUE,
} from '../life.ts';
import { withoutLeases } from '../without-leases.ts';

/**
 * Of two invocations of each batch of a function, the second is held at its k-th call until the first has ended. Counts the
 * calls of the second invocations, so that a test can visit all of them.
 */
function holdingAt(name: FunctionName, pair: number, k: number) {
  let [seen, isHeld] = [0, false];
  const ended = Promise.withResolvers<void>();
  const wrapInvocation: WrapInvocation = (ports, invocation) => {
    if (invocation.function !== name) return ports;
    const [second, first] = [2 * pair, 2 * pair - 1];
    if (invocation.nth === first) void invocation.ended.then(ended.resolve);
    if (invocation.nth !== second) return ports;
    let calls = 0;
    return around(ports, async (_, go) => {
      calls += 1;
      seen = Math.max(seen, calls);
      if (calls === k) {
        isHeld = true;
        await ended.promise;
      }
      return go();
    });
  };
  return { wrapInvocation, calls: () => seen, isHeld: () => isHeld };
}

interface Held {
  readonly name: FunctionName;
  /** The number of the function's batch, from 1. */
  readonly pair: number;
  readonly leases?: 'without';
}

async function livesHeld(
  { name, pair, leases }: Held,
  under: Parameters<typeof live>[0],
  expectPromises: (result: SimulationResult, k: number) => void,
): Promise<number> {
  for (let k = 1; ; k += 1) {
    const held = holdingAt(name, pair, k);
    const result = await live({
      catalogue: SMALL_CATALOGUE,
      invocations: 2,
      wrapInvocation: held.wrapInvocation,
      ...(leases === 'without' && { wrapPorts: withoutLeases }),
      ...under,
    });
    if (!held.isHeld()) return k - 1;
    expectPromises(result, k);
  }
}

/** Pods, a node, and back to zero after scaling down. */
const SHORT = {
  manifests: someManifests({ deployments: [aDeployment('web', 3)] }),
  scenario: {
    name: 'short',
    events: [{ kind: 'scale', atMs: 2 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
  },
  durationMs: 30 * MINUTE_MS,
} as const;

describe('two invocations, one held at each of its port calls while the other completes', () => {
  test.each([{ leases: undefined }, { leases: 'without' as const }])(
    'provisioning (leases: $leases) creates one claim for each pod and stays within the limits of its pool',
    async ({ leases }) => {
      const limited = {
        manifests: someManifests({
          nodePools: [aPool({ limits: { nodes: '2' } })],
          deployments: [aDeployment('web', 4, '30')],
        }),
        scenario: { name: 'limits', events: [] },
        durationMs: 10 * SECOND_MS,
      };
      const name = 'provisioning';
      const visited = await livesHeld({ name, pair: 1, ...(leases && { leases }) }, limited, (result, k) => {
        expectOneInstanceAClaim(result);
        expectOneClaimAPod(result);
        expect(launchedFor(result).length, `held at call ${k}`).toBe(2);
      });
      expect(visited).toBeGreaterThan(10);
    },
    120_000,
  );

  test('provisioning reads the NodeClaims after the open decisions, so that it sees the claims of a decision that is closed meanwhile', async () => {
    const [recorded, looked, closed] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const wrapInvocation: WrapInvocation = (ports, { function: name, nth }) => {
      if (name !== 'provisioning' || nth > 2) return ports;
      const isFirst = nth === 1;
      return around(ports, async ({ method }, go) => {
        if (!isFirst && method === 'store.readEpoch') await recorded?.promise;
        if (!isFirst && method === 'store.openDecisions') {
          looked?.resolve();
          await closed?.promise;
        }
        const answer = await go();
        if (isFirst && method === 'store.recordDecision') {
          recorded?.resolve();
          await looked?.promise;
          // Long enough for the second invocation to read the NodeClaims now, if it does.
          for (let calls = 0; calls < 10; calls += 1) await ports.store.readEpoch('simulated');
        }
        if (isFirst && method === 'store.closeDecision') closed?.resolve();
        return answer;
      });
    };
    const result = await live({
      catalogue: SMALL_CATALOGUE,
      scenario: { name: 'launch', events: [] },
      durationMs: 65 * SECOND_MS,
      invocations: 2,
      wrapInvocation,
      wrapPorts: withoutLeases,
    });
    expectOneClaimAPod(result);
    expect(launchedFor(result)).toHaveLength(1);
  });

  test('lifecycle launches one instance for each claim', async () => {
    const launch = { ...SHORT, scenario: { name: 'launch', events: [] }, durationMs: 65 * SECOND_MS };
    const visited = await livesHeld({ name: 'lifecycle', pair: 1 }, launch, (result, k) => {
      expectOneInstanceAClaim(result);
      expect(launchedFor(result).length, `held at call ${k}`).toBe(1);
      expect(result.podsRunning, `held at call ${k}`).toBe(3);
    });
    expect(visited).toBeGreaterThan(10);
  }, 120_000);

  test.each([3, 4])(
    'disruption deletes an empty node once, and leaks nothing (batch %i)',
    async (pair) => {
      const visited = await livesHeld({ name: 'disruption', pair, leases: 'without' }, SHORT, (result) => {
        expectOneInstanceAClaim(result);
        expectAllGone(result);
        // Both may propose it: a proposal has no effect. Validation decides. Two runs in the same millisecond make the same decision.
        const decisions = result.timeline.flatMap((entry) =>
          entry.kind === 'delete-node-claim' && entry.reason === 'empty' ? [entry.decision] : [],
        );
        expect(new Set(decisions).size).toBe(1);
      });
      expect(visited).toBeGreaterThan(5);
    },
    120_000,
  );
});
