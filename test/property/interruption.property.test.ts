import type { SQSRecord } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTime } from '../../lib/apis/formats/time.ts';
import { handleInterruption, type InterruptionPorts } from '../../lib/controllers/interruption.ts';
import { answerEvents } from '../../lib/operator/lambda/queue-batch.ts';
import { RefusedError } from '../../lib/ports/errors.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import { anInterruptionEvent } from '../builders/interruptions.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { NOW_MS, SECOND } from '../builders/times.ts';
import { CONTEXT, failedOf, message, recordingRuntime } from '../operator/messages.ts';

const RUN = { seed: 20_260_131, numRuns: 300 };
const INSTANCES = 4;

const types = fc.constantFrom(
  'EC2 Spot Instance Interruption Warning',
  'EC2 Instance Rebalance Recommendation',
  'EC2 Instance State-change Notification',
  'EC2 Capacity Reservation Instance Interruption Warning',
);
const event = fc
  .record({
    type: types,
    instance: fc.nat({ max: INSTANCES + 1 }),
    state: fc.constantFrom('running', 'stopping', 'shutting-down', 'terminated'),
    ageSeconds: fc.nat({ max: 170 }),
  })
  .map(({ type, instance, state, ageSeconds }) =>
    JSON.stringify(
      anInterruptionEvent(
        type,
        { 'instance-id': `i-${instance}`, state },
        { time: formatTime(NOW_MS - ageSeconds * SECOND) },
      ),
    ),
  );

async function aWorld(): Promise<InterruptionPorts> {
  const ports: InterruptionPorts = {
    store: memoryNodeClaimStore(),
    catalogue: memoryCatalogueStore(),
    messages: { wake: async () => {}, publish: async () => {} },
    clock: { now: () => NOW_MS },
    cloud: { instanceOwners: async () => [] },
    shadows: new Set<string>(),
    clusters: new Set(['demo']),
  };
  for (let index = 0; index < INSTANCES; index += 1) {
    await ports.store.createNodeClaim(launchedClaim({ name: `general-${index}` }, { id: `i-${index}` }));
  }
  return ports;
}

/** Delivers the messages in batches, and delivers those again that a batch response reports as failed. */
async function deliver(ports: InterruptionPorts, bodies: readonly string[], batchSize: number): Promise<void> {
  const { runtime } = recordingRuntime();
  let left: readonly SQSRecord[] = bodies.map((body, index) => message(String(index), body));
  for (let rounds = 0; left.length > 0; rounds += 1) {
    if (rounds > 10 * bodies.length) throw new Error(`${left.length} messages fail on every delivery`);
    const Records = left.slice(0, batchSize);
    const answer = await answerEvents(runtime, { event: { Records }, context: CONTEXT }, async (body, receives) =>
      handleInterruption(ports, body, receives),
    );
    const failed = new Set(failedOf(answer));
    left = [...left.slice(batchSize), ...Records.filter(({ messageId }) => failed.has(messageId))];
  }
}

async function stateOf({ store, catalogue }: InterruptionPorts) {
  return { claims: await store.listNodeClaims('demo'), unavailable: await catalogue.listUnavailable(NOW_MS) };
}

test('messages that are delivered five times, in any order with others, have the effect of one delivery', async () => {
  const fiveTimes = fc.array(event, { minLength: 1, maxLength: 6 }).chain((events) => {
    const copies = events.flatMap((one) => Array.from({ length: 5 }, () => one));
    return fc.shuffledSubarray(copies, { minLength: copies.length });
  });
  await fc.assert(
    fc.asyncProperty(fiveTimes, async (bodies) => {
      const [once, often] = [await aWorld(), await aWorld()];
      await deliver(once, [...new Set(bodies)], 1);
      await deliver(often, bodies, 1);
      expect(await stateOf(often)).toEqual(await stateOf(once));
    }),
    RUN,
  );
});

async function going({ store }: InterruptionPorts) {
  const claims = await store.listNodeClaims('demo');
  return claims.map(({ name, version, deletion }) => [name, version, deletion !== undefined]);
}

test('messages that are handled at the same time delete the same claims, each once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 2, max: 10 }),
      async (bodies, size) => {
        const [alone, together] = [await aWorld(), await aWorld()];
        await deliver(alone, bodies, 1);
        await deliver(together, bodies, size);
        expect(await going(together)).toEqual(await going(alone));
      },
    ),
    RUN,
  );
});

test('any text is read as an event, ignored, or refused with a reason', async () => {
  const ports = await aWorld();
  const odd = fc.oneof(fc.jsonValue(), fc.string());
  const almost = fc.record(
    {
      version: fc.oneof(fc.constant('0'), odd),
      source: fc.oneof(fc.constantFrom('aws.ec2', 'aws.health'), odd),
      'detail-type': fc.oneof(types, fc.constant('AWS Health Event'), odd),
      time: fc.oneof(fc.constant(formatTime(NOW_MS)), odd),
      resources: odd,
      detail: fc.oneof(
        fc.record(
          {
            'instance-id': fc.oneof(fc.constant('i-1'), odd),
            state: fc.oneof(fc.constant('stopped'), odd),
            service: fc.oneof(fc.constant('EC2'), odd),
            eventTypeCategory: fc.oneof(fc.constant('scheduledChange'), odd),
            affectedEntities: fc.oneof(fc.array(fc.oneof(fc.record({ entityValue: odd }), odd)), odd),
          },
          { requiredKeys: [] },
        ),
        odd,
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(odd, almost), async (body) => {
      const refusals = await handleInterruption(ports, body, 1).then(
        ({ failures }) => failures,
        (error: unknown) => [error],
      );
      for (const refusal of refusals) expect(refusal).toBeInstanceOf(RefusedError);
    }),
    { ...RUN, numRuns: 1_000 },
  );
});
