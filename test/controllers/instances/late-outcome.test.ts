import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** The replies to launches are lost until this time. The nodes join before. */
const LOST_UNTIL_MS = 64 * SECOND_MS;

test('a node that joins before the outcome of its launch is known is registered when it is known, not at the next tick', async () => {
  let startMs: number | undefined;
  const loseReplies = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    cloud: {
      ...ports.cloud,
      async launch(request) {
        const outcome = await ports.cloud.launch(request);
        startMs ??= ports.clock.now();
        if (ports.clock.now() < startMs + LOST_UNTIL_MS) throw new UnreachableError('the reply of the test is lost');
        return outcome;
      },
      // EC2 does not list the instances yet.
      describeInstances: async () => [],
    },
  });
  const { timeline } = await live({ catalogue: SMALL_CATALOGUE, wrapPorts: loseReplies, durationMs: 3 * MINUTE_MS });
  const launchedAt = timeline.find(({ kind }) => kind === 'launch-instance')?.at ?? Infinity;
  const registeredAt = timeline.find(({ kind }) => kind === 'register-node')?.at ?? Infinity;
  expect(launchedAt * SECOND_MS).toBeGreaterThan(LOST_UNTIL_MS);
  expect(registeredAt - launchedAt).toBeLessThan(5);
});
