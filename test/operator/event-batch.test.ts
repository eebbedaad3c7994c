import { expect, test } from 'vitest';
import type { RunReport } from '../../lib/controllers/run/ports.ts';
import { answerEvents } from '../../lib/operator/lambda/queue-batch.ts';
import { RefusedError, StaleRecordError } from '../../lib/ports/errors.ts';
import { failedOf, message, recordingRuntime } from './messages.ts';

const REPORT: RunReport = {
  controller: 'interruption',
  cluster: 'demo',
  decisions: [],
  due: [],
  gauges: {},
  failures: [],
};

test('each event is handled by itself: one that fails brings back no other', async () => {
  const { runtime, seen } = recordingRuntime();
  const event = { Records: [message('1', { n: 1 }), message('2', 'no JSON'), message('3', { n: 3 })] };
  expect(failedOf(await answerEvents(runtime, event, async () => [REPORT]))).toEqual(['2']);
  expect(seen.said.toSorted()).toEqual(['failed to handle an event', 'report demo 0', 'report demo 0']);
});

test('two minutes are left to a spot instance: what may succeed unchanged is tried again soon, and nothing else', async () => {
  const { runtime, seen } = recordingRuntime();
  const failures = [new StaleRecordError('written by somebody else'), new RefusedError('no such event')];
  const event = { Records: [message('1', { n: 0 }), message('2', { n: 1 })] };
  const handle = async (envelope: unknown): Promise<readonly RunReport[]> =>
    await Promise.reject(failures[Number(Reflect.get(Object(envelope), 'n'))]);
  expect(failedOf(await answerEvents(runtime, event, handle))).toEqual(['1', '2']);
  expect(seen.retried).toEqual([{ ids: ['handle-1'], seconds: 2 }]);
  expect(seen.said).toEqual(['conflict: the event is retried', 'failed to handle an event']);
});
