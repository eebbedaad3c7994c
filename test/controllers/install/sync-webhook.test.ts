import { expect, test } from 'vitest';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { notReported } from '../../../lib/controllers/act/run-notes.ts';
import { syncWebhook } from '../../../lib/controllers/install/sync-webhook.ts';
import { webhookConfiguration } from '../../../lib/core/install/webhook-configuration.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { ProblemError } from '../../../lib/core/problems/problems.ts';
import { ConflictError, RefusedError } from '../../../lib/ports/errors.ts';
import type { WebhookRegistration } from '../../../lib/ports/webhook-registration.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const TICK = { cluster: 'demo', reason: 'tick' };

interface World {
  /** The result of the probe in each minute. */
  unwell: string | undefined;
  found: Awaited<ReturnType<WebhookRegistration['read']>>;
  nowMs: number;
  calls: number;
}

/** The webhook configuration of a cluster, in memory. */
function registration(world: World, overrides: Partial<WebhookRegistration> = {}): WebhookRegistration {
  const wanted = webhookConfiguration({ url: 'https://hooks.test/', cluster: 'demo', secret: 's3cret' });
  return {
    wanted,
    read: async () => {
      world.calls += 1;
      return world.found;
    },
    create: async () => {
      world.found = { resourceVersion: '1', annotations: {}, webhooks: wanted.webhooks };
    },
    patch: async (found, { annotations, webhooks = found.webhooks }) => {
      const merged = Object.entries({ ...found.annotations, ...annotations }).flatMap(([key, value]) =>
        value === null ? [] : [[key, value] as const],
      );
      world.found = { ...found, annotations: Object.fromEntries(merged), webhooks };
    },
    probe: async () => world.unwell,
    ...overrides,
  };
}

function aWorld(): World {
  return { unwell: undefined, found: undefined, nowMs: NOW_MS, calls: 0 };
}

async function tick(world: World, overrides: Partial<WebhookRegistration> = {}, { wake = TICK, shadow = false } = {}) {
  const settings = { ...DEFAULT_SETTINGS, shadow };
  const webhook = registration(world, overrides);
  const failures = await syncWebhook({ webhook, clock: { now: () => world.nowMs }, settings }, wake);
  world.nowMs += MINUTE;
  return failures.map(({ message }) => message);
}

test('after three ticks without an answer the webhooks are removed, and one answer restores them', async () => {
  const world = aWorld();
  await tick(world);
  const { length } = world.found?.webhooks ?? [];
  expect(length).toBeGreaterThan(0);
  world.unwell = 'no answer';
  expect(await tick(world)).toEqual(['webhook probe 1 of 3 failed: no answer']);
  expect(await tick(world)).toEqual(['webhook probe 2 of 3 failed: no answer']);
  expect(world.found?.webhooks).toHaveLength(length);
  expect(await tick(world)).toEqual([expect.stringContaining('webhook disabled')]);
  expect(world.found?.webhooks).toEqual([]);
  expect(await tick(world)).toEqual(['webhook disabled; polling every minute: no answer']);
  world.unwell = undefined;
  expect(await tick(world)).toEqual([]);
  expect(world.found).toMatchObject({ annotations: {} });
  expect(world.found?.webhooks).toHaveLength(length);
});

test.each([
  { rule: 'a wake that is not a tick makes no call', reason: 'webhook+created', calls: 0 },
  { rule: 'a tick among other wakes reads and probes', reason: 'webhook+tick', calls: 1 },
  { rule: 'a cluster in shadow is not written to', reason: 'tick', shadow: true, calls: 0 },
])('$rule', async ({ reason, shadow = false, calls }) => {
  const world = aWorld();
  await tick(world, {}, { wake: { cluster: 'demo', reason }, shadow });
  expect(world.calls).toBe(calls);
  expect(world.found === undefined).toBe(calls === 0);
});

test('a cluster without a webhook of Kerf does not change', async () => {
  expect(await syncWebhook({ clock: { now: () => NOW_MS }, settings: DEFAULT_SETTINGS }, TICK)).toEqual([]);
});

async function refuse(): Promise<never> {
  return await Promise.reject(new RefusedError('403 forbidden'));
}

async function overtake(): Promise<never> {
  return await Promise.reject(new ConflictError('changed'));
}

test('a refusal of the cluster is reported, and a conflict with another writer is not', async () => {
  expect(await tick(aWorld(), { read: refuse })).toEqual(['webhook configuration: 403 forbidden']);
  expect(await tick(aWorld(), { create: overtake })).toEqual([]);
});

test('a refusal of the cluster is reported once an hour', async () => {
  const run = { ports: { clock: { now: () => NOW_MS }, refusals: reportedRefusals() }, cluster: 'demo' };
  const webhook = registration(aWorld(), { read: refuse });
  const failures = await syncWebhook({ webhook, clock: run.ports.clock, settings: DEFAULT_SETTINGS }, TICK);
  expect(notReported(run, failures)).toEqual(failures);
  expect(notReported(run, failures)).toEqual([]);
});

const hangs = async (): Promise<never> => await new Promise<never>(() => {});

test('a webhook configuration that the API server does not return does not delay claims', async () => {
  const world: World = { unwell: undefined, found: undefined, nowMs: NOW_MS, calls: 0 };
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    durationMs: 10 * MINUTE,
    scenario: { name: 'hanging webhook', events: [] },
    wrapPorts: (ports) => ({
      ...ports,
      webhook: registration(world, { read: hangs }),
      // Only the ticks reach lifecycle, and only they read the configuration.
      messages: {
        ...ports.messages,
        wake: async (target, wake, delayMs) =>
          target === 'lifecycle' ? undefined : ports.messages.wake(target, wake, delayMs),
      },
    }),
  });
  expect(result).toMatchObject({ podsRunning: 3, podsPending: [] });
});

test('a webhook that is removed is a problem, a single failed probe is not', async () => {
  const world = aWorld();
  await tick(world);
  world.unwell = 'no answer';
  const problems: unknown[] = [];
  const settings = DEFAULT_SETTINGS;
  for (let minute = 0; minute < 4; minute += 1) {
    const ports = { webhook: registration(world), clock: { now: () => world.nowMs }, settings };
    const [failure] = await syncWebhook(ports, TICK);
    problems.push(failure instanceof ProblemError ? failure.problem : undefined);
    world.nowMs += MINUTE;
  }
  expect(problems).toEqual([undefined, undefined, 'WebhookDisabled', 'WebhookDisabled']);
});
