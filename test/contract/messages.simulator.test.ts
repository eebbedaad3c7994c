import type { Decision } from '../../lib/core/model/decision.ts';
import type { Wake, WakeTarget } from '../../lib/ports/messages.ts';
import { simulatedMessages } from '../../lib/simulator/aws/simulated-messages.ts';
import { timetableFrom } from '../../lib/simulator/timetable.ts';
import { NOW_MS } from '../builders/times.ts';
import { messagesContract } from './messages.ts';

messagesContract('the simulator', async () => {
  const timetable = timetableFrom(NOW_MS);
  const arrived = new Map<WakeTarget, Wake[]>();
  const decisions: Decision[] = [];
  const messages = simulatedMessages(timetable, {
    wakes: async (target, queued) => {
      const bodies = queued.map(({ body }): Wake => JSON.parse(body));
      arrived.set(target, [...(arrived.get(target) ?? []), ...bodies]);
      return [];
    },
    decision: (decision) => void decisions.push(decision),
  });
  return {
    messages,
    received: async (target) => {
      // The batch window is over before the next read.
      for (const untilMs = timetable.now() + 1_500; await timetable.step(untilMs); );
      const wakes = arrived.get(target) ?? [];
      arrived.delete(target);
      return wakes;
    },
    heard: async () => decisions.splice(0),
    pass: async (ms) => {
      timetable.after(ms, () => {});
      for (const untilMs = timetable.now() + ms; await timetable.step(untilMs); );
    },
  };
});
