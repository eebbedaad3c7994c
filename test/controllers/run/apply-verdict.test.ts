import { describe, expect, test } from 'vitest';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { applyVerdict, type ObjectRun } from '../../../lib/controllers/run/apply-verdict.ts';
import { waitsOf } from '../../../lib/controllers/wait/waits.ts';
import type { Action, Blocked, Decision } from '../../../lib/core/model/decision.ts';
import type { ClusterEvent } from '../../../lib/core/model/event.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { ConflictError, RefusedError, StaleRecordError, UnreachableError } from '../../../lib/ports/errors.ts';
import { invocationTimer } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { simulatedMessages } from '../../../lib/simulator/aws/simulated-messages.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';
import { aLaunchOfTwoTypes, aRecord } from '../../contract/records.ts';
import { UNUSED } from '../../operator/messages.ts';

const RECORD = aRecord();
const DELETE: Action = { kind: 'delete-node-claim', nodeClaim: RECORD.name, reason: 'unhealthy', message: 'broken' };
const EVICT: Action = {
  kind: 'evict-pod',
  nodeClaim: RECORD.name,
  pod: { namespace: 'default', name: 'web-1', uid: 'u1' },
};
const NOMINATE: Action = { kind: 'nominate-node', node: 'node-1', pods: [], untilMs: 1 };
const LAUNCH: Action = {
  kind: 'launch-instance',
  nodeClaim: RECORD.name,
  attempt: 1,
  request: aLaunchOfTwoTypes(),
};
const WAITING = { kind: 'Pod', namespace: 'default', name: 'web-0' } as const;
const REFUSAL: Blocked = { subject: WAITING, reason: 'DoNotDisrupt', message: 'it waits', numbers: {} };
const SUBJECT = { name: RECORD.name, version: RECORD.version, atMs: 0 };

const evictPod = async () => ({ kind: 'blocked', message: 'the budget allows 0' }) as const;

/** A run for one claim, with its published decisions. */
async function aRun(over: object = {}) {
  const timetable = timetableFrom(0);
  const published: Decision[] = [];
  const messages = simulatedMessages(timetable, {
    wakes: async () => [],
    decision: (decision) => void published.push(decision),
  });
  const store = memoryNodeClaimStore();
  await store.createNodeClaim(RECORD);
  const cluster = { publishEvent: async () => {}, evictPod };
  const ports = { store, messages, cluster, clock: timetable, settings: DEFAULT_SETTINGS, ...over };
  const run: ObjectRun = {
    ports: Object.create(UNUSED, Object.getOwnPropertyDescriptors(ports)),
    controller: 'termination',
    cluster: RECORD.cluster,
    notes: { decisions: [], due: [], failures: [] },
  };
  return { run, store, published };
}

test('a refusal without an action is reported, and not published', async () => {
  const { run, published } = await aRun();
  await applyVerdict(run, SUBJECT, { actions: [], blocked: [REFUSAL] });
  expect(run.notes.decisions).toMatchObject([{ actions: [], blocked: [REFUSAL] }]);
  expect(published).toEqual([]);
});

test('a refusal of the cluster is reported and published with the decision', async () => {
  const { run, published } = await aRun();
  await applyVerdict(run, SUBJECT, { actions: [EVICT], blocked: [REFUSAL] });
  expect(run.notes.decisions).toMatchObject([{ actions: [EVICT], blocked: [REFUSAL, { reason: 'PDB' }] }]);
  expect(published).toMatchObject([{ actions: [EVICT], blocked: [{ reason: 'PDB' }, REFUSAL] }]);
});

const PODS = Array.from({ length: 80 }, (_, at) => ({ namespace: 'default', name: `web-${at}`, uid: `u${at}` }));

/** The messages of the Events of a run in which a budget refuses these evictions. */
async function eventsOfRefused(pods: typeof PODS, blocked: readonly Blocked[]): Promise<readonly string[]> {
  const shown: string[] = [];
  const publishEvent = async ({ message }: ClusterEvent) => void shown.push(message);
  const { run } = await aRun({ refusals: reportedRefusals(), cluster: { publishEvent, evictPod } });
  const actions = pods.map((pod): Action => ({ kind: 'evict-pod', nodeClaim: RECORD.name, pod }));
  const seen = { record: { ...RECORD, nodeName: 'node-1' } };
  await applyVerdict(run, { ...SUBJECT, seen }, { actions, blocked });
  return shown;
}

test('each refused eviction of a full node has its Event: the next run does not announce it', async () => {
  const shown = await eventsOfRefused(PODS, []);
  expect(shown).toEqual(PODS.map(({ name }) => expect.stringContaining(`default/${name}: `)));
});

test('each of many refusals of a verdict has its Event, after those of refused actions', async () => {
  const held = PODS.map(({ name }): Blocked => ({ ...REFUSAL, subject: { ...WAITING, name: `held-${name}` } }));
  const shown = await eventsOfRefused(PODS.slice(0, 3), [...held, ...held.map(twice)]);
  expect(shown.slice(0, 3)).toEqual(PODS.slice(0, 3).map(({ name }) => expect.stringContaining(`default/${name}: `)));
  expect(shown).toHaveLength(100);
  expect(shown).toEqual(expect.arrayContaining(held.map(({ subject }) => expect.stringContaining(subject.name))));
});

function twice({ subject, ...rest }: Blocked): Blocked {
  return { ...rest, subject: { ...WAITING, name: `${subject.name}-again` } };
}

test('a verdict without actions and refusals is not in the report', async () => {
  const { run } = await aRun();
  await applyVerdict(run, SUBJECT, { actions: [], blocked: [] });
  expect(run.notes).toEqual({ decisions: [], due: [], failures: [] });
});

test('the record of the outcome is written after the actions, over the record that was written before them', async () => {
  const { run, store } = await aRun();
  const record = { ...RECORD, nodeName: 'node-1' };
  await applyVerdict(run, SUBJECT, {
    record,
    whenDone: { ...record, registeredAtMs: 1 },
    actions: [NOMINATE],
    blocked: [],
  });
  const last = await store.readNodeClaim(RECORD.cluster, RECORD.name);
  expect(last).toMatchObject({ nodeName: 'node-1', registeredAtMs: 1, version: RECORD.version + 2 });
});

test('the record of the outcome is not written if an action is refused or fails', async () => {
  const whenDone = { ...RECORD, registeredAtMs: 1 };
  const { run, store } = await aRun();
  await applyVerdict(run, SUBJECT, { whenDone, actions: [EVICT], blocked: [] });
  const forced = { ...EVICT, force: { graceSeconds: 1 } };
  expect(await applyVerdict(run, SUBJECT, { whenDone, actions: [forced], blocked: [] })).toBe(false);
  expect(await store.readNodeClaim(RECORD.cluster, RECORD.name)).toEqual(RECORD);
});

test('no action is carried out if another run has written the record', async () => {
  const { run, store, published } = await aRun();
  await store.updateNodeClaim(RECORD);
  const applied = applyVerdict(run, SUBJECT, { record: RECORD, actions: [DELETE], blocked: [] });
  await expect(applied).rejects.toThrow(StaleRecordError);
  expect((await store.readNodeClaim(RECORD.cluster, RECORD.name))?.deletion).toBeUndefined();
  expect([published, run.notes.decisions]).toEqual([[], []]);
});

test('a failure to publish is reported, and the action is carried out', async () => {
  const { run, store } = await aRun({
    messages: {
      wake: async () => {},
      publish: async () => Promise.reject(new UnreachableError('no bus')),
    },
  });
  await applyVerdict(run, SUBJECT, { actions: [DELETE], blocked: [] });
  expect(run.notes.failures.map(String)).toEqual([expect.stringContaining('decision termination-general-a-v1-')]);
  expect((await store.readNodeClaim(RECORD.cluster, RECORD.name))?.deletion?.reason).toBe('unhealthy');
});

test('a publication that hangs is reported once, and delays the run by two seconds once', async () => {
  const timetable = timetableFrom(0);
  const { run } = await aRun({
    waits: waitsOf(invocationTimer(timetable)),
    messages: { wake: async () => {}, publish: async () => new Promise<never>(() => {}) },
  });
  const applied: number[] = [];
  const verdict = { actions: [NOMINATE], blocked: [] };
  const apply = async (): Promise<void> => {
    for (const _ of [1, 2, 3]) {
      await applyVerdict(run, SUBJECT, verdict);
      applied.push(timetable.now());
    }
  };
  timetable.after(0, apply);
  while (await timetable.step(60_000));
  expect(applied).toEqual([2_000, 2_000, 2_000]);
  expect(run.notes.failures.map(({ cause }) => String(cause))).toEqual([
    expect.stringContaining('no answer within 2000 ms'),
  ]);
});

test('instances are terminated in parallel, so that a termination does not delay other claims', async () => {
  const { run } = await aRun();
  const asides: unknown[] = [];
  const terminate: Action = { kind: 'terminate-instance', nodeClaim: RECORD.name, instanceId: 'i-1' };
  const aside = (work: unknown): void => void asides.push(work);
  await applyVerdict(run, { ...SUBJECT, aside }, { actions: [terminate], blocked: [] });
  expect([asides.length, run.notes.decisions.length]).toEqual([1, 0]);
});

describe('an action that is refused for good', () => {
  const CAUSE = '403 denied by a policy, request 17';
  const cluster = { publishEvent: async () => {}, evictPod: async () => Promise.reject(new RefusedError(CAUSE)) };

  test('is reported once with its name and cause, and is a refusal in the report of every run', async () => {
    const { run, published } = await aRun({ cluster, refusals: reportedRefusals() });
    for (let poll = 0; poll < 3; poll += 1) await applyVerdict(run, SUBJECT, { actions: [EVICT], blocked: [] });
    expect(run.notes.failures.map(({ message }) => message)).toEqual([`general-a: evict-pod default/web-1: ${CAUSE}`]);
    expect(run.notes.decisions.map(({ blocked }) => blocked)).toMatchObject(
      Array.from({ length: 3 }, () => [
        { subject: { kind: 'Pod', namespace: 'default', name: 'web-1' }, reason: 'ActionRefused' },
      ]),
    );
    expect(published).toHaveLength(1);
  });

  test('does not repeat the run before its next poll', async () => {
    const { run } = await aRun({ cluster });
    expect(await applyVerdict(run, SUBJECT, { actions: [EVICT], blocked: [] })).toBe(false);
    expect(run.notes.due).toEqual([]);
  });
});

test('after an action that may succeed later, the run is repeated in five seconds', async () => {
  const cluster = { evictPod: async () => Promise.reject(new UnreachableError('503')) };
  const { run } = await aRun({ cluster });
  await applyVerdict(run, SUBJECT, { actions: [EVICT], blocked: [] });
  expect(run.notes.due).toEqual([{ atMs: 5_000, kind: 'settling' }]);
});

test('after a conflict, the growing pause of conflictRetry repeats the run, and not the poll', async () => {
  const cluster = { evictPod: async () => Promise.reject(new ConflictError('changed')) };
  const { run } = await aRun({ cluster });
  await expect(applyVerdict(run, SUBJECT, { actions: [EVICT], blocked: [] })).rejects.toThrow(ConflictError);
  expect(run.notes.due).toEqual([]);
});

test.each([
  ['an eviction does not need the record', EVICT, 1],
  ['a launch waits for its record (D36)', LAUNCH, 0],
])('if the record cannot be written, %s', async (_, action, calls) => {
  let called = 0;
  const count = async () => {
    called += 1;
    return { kind: 'evicted' };
  };
  const store = {
    ...memoryNodeClaimStore(),
    updateNodeClaim: async () => Promise.reject(new RefusedError('too large')),
  };
  const { run } = await aRun({
    store,
    cluster: { evictPod: count, publishEvent: async () => {} },
    cloud: { launch: count },
  });
  expect(await applyVerdict(run, SUBJECT, { record: RECORD, actions: [action], blocked: [] })).toBe(false);
  expect(called).toBe(calls);
  expect(run.notes.failures.map(({ message }) => message)).toEqual([
    'write the record of NodeClaim general-a: too large',
  ]);
});
