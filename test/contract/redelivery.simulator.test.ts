import { WAKE_PLAN } from '../../lib/core/delivery/deliveries.ts';
import type { QueuedMessage } from '../../lib/ports/redelivery.ts';
import { simulatedQueue } from '../../lib/simulator/aws/simulated-queue.ts';
import { timetableFrom } from '../../lib/simulator/timetable.ts';
import { redeliveryContract } from './redelivery.ts';

redeliveryContract('the simulator', () => {
  const timetable = timetableFrom(0);
  const received: QueuedMessage[] = [];
  const queue = simulatedQueue(timetable, {
    plan: WAKE_PLAN,
    windowMs: 0,
    // This takes longer than any call of the test.
    invoke: async (messages) => {
      received.push(...messages);
      await timetable.wait(5_000);
      return messages.map(({ id }) => id);
    },
  });
  return {
    redelivery: queue,
    send: (body) => queue.send(body),
    delivered: async () => received.splice(0),
    deadLetters: () => queue.deadLetters,
    pass: async (ms) => {
      timetable.after(ms, () => {});
      for (const untilMs = timetable.now() + ms; await timetable.step(untilMs); );
    },
  };
});
