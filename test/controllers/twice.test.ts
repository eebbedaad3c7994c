import { describe, expect, test } from 'vitest';
import type { ControllerPorts } from '../../lib/controllers/ports.ts';
import { expectAllGone, expectOneInstanceAClaim, launchedFor, live } from './life.ts';

describe('the same trigger twice', () => {
  const clean = live();

  for (const invocations of [2, 3]) {
    test(`${invocations} invocations of every function at once launch nothing twice and leak nothing`, async () => {
      const result = await live({ invocations });
      expectOneInstanceAClaim(result);
      expect(launchedFor(result).length).toBe(launchedFor(await clean).length);
      expectAllGone(result);
    });
  }

  test('every message delivered again a little later launches nothing twice and leaks nothing', async () => {
    const result = await live({ wrapPorts: deliverTwice });
    expectOneInstanceAClaim(result);
    expect(launchedFor(result).length).toBe(launchedFor(await clean).length);
    expectAllGone(result);
  });

  test('every wake lost: the tick alone gets the work done', async () => {
    const result = await live({
      wrapPorts: (ports) => ({ ...ports, messages: { ...ports.messages, wake: async () => {} } }),
    });
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  });
});

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
