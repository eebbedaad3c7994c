import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { withDelays } from '../../../lib/simulator/faults.ts';
import { type Random, randomFrom } from '../../../lib/simulator/random.ts';
import { samplesOf } from '../../samples.ts';
import { expectAllGone, expectOneClaimAPod, expectOneInstanceAClaim, live } from '../life.ts';

describe('the same trigger twice', () => {
  for (const invocations of [2, 3]) {
    test.each(samplesOf([1, 2, 3], 1))(
      `${invocations} invocations of every function at once, interleaved by seed %i, launch nothing twice and leak nothing`,
      async (seed) => {
        const result = await live({ invocations, wrapPorts: (ports) => interleaved(ports, randomFrom(seed)) });
        expectOneInstanceAClaim(result);
        expectOneClaimAPod(result);
        expectAllGone(result);
      },
    );
  }

  test.each(['store.createNodeClaim', 'store.nominate', 'store.closeDecision'])(
    'an invocation that is slow before %s is overtaken by another one, which observes the decision (promise 1)',
    async (method) => {
      const result = await live({ invocations: 2, wrapPorts: (ports) => dawdlingBefore(ports, method) });
      expectOneInstanceAClaim(result);
      expectOneClaimAPod(result);
      expectAllGone(result);
    },
  );

  test('every message delivered again a little later launches nothing twice and leaks nothing', async () => {
    const result = await live({ wrapPorts: deliverTwice });
    expectOneInstanceAClaim(result);
    expectOneClaimAPod(result);
    expectAllGone(result);
  });

  test('if every wake is lost, ticks alone complete the work', async () => {
    const result = await live({
      wrapPorts: (ports) => ({ ...ports, messages: { ...ports.messages, wake: async () => {} } }),
      // Provisioning and disruption have a tick every five minutes.
      goesOn: true,
      durationMs: 40 * MINUTE_MS,
    });
    expectOneInstanceAClaim(result);
    expect(result).toMatchObject({ nodesAtEnd: 0, podsRunning: 0, podsPending: [], ended: 'time' });
  });
});

/** Every call of a port takes a random time, and each invocation has another clock. */
function interleaved(ports: ControllerPorts, random: Random): ControllerPorts {
  const slow = withDelays(ports, async () => {
    for (let turns = random.between(0, 20); turns > 0; turns -= 1) await Promise.resolve();
  });
  return { ...slow, clock: { now: () => ports.clock.now() + random.between(0, 40) } };
}

/**
 * The first invocation waits before the method, the second between its first read and its other reads: it reads after the first
 * has recorded, and before that is carried out. Clocks differ, so the two would decide different things.
 */
function dawdlingBefore(ports: ControllerPorts, method: string): ControllerPorts {
  const calls = new Map<string, number>();
  let reads = 0;
  const slow = withDelays(ports, async (call) => {
    const nth = (calls.get(call.method) ?? 0) + 1;
    calls.set(call.method, nth);
    let turns = call.method === method && nth % 2 === 1 ? 3_000 : 0;
    if (call.method === 'cluster.listUnboundPods' && nth % 2 === 0) turns = 800;
    for (; turns > 0; turns -= 1) await Promise.resolve();
  });
  return { ...slow, clock: { now: () => ports.clock.now() + (++reads % 7) } };
}

function deliverTwice(ports: ControllerPorts): ControllerPorts {
  const { messages } = ports;
  return {
    ...ports,
    messages: {
      ...messages,
      wake: async (target, wake, delayMs = 0) => {
        await messages.wake(target, wake, delayMs);
        await messages.wake(target, wake, delayMs + 2_500);
      },
    },
  };
}
