/** Faults between Kerf and EC2. At the end, each pod has one instance, and each instance has a claim. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refreshCatalogue } from '../../lib/controllers/catalogue.ts';
import { wireCatalogue } from '../../lib/operator/wiring/catalogue.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import { type Kerf, startKerf } from './kerf.ts';
import { applyManifests, podAt } from './manifests.ts';

/** Too large for two on one node: each pod needs one claim and one instance. */
const TYPES = {
  key: 'node.kubernetes.io/instance-type',
  operator: 'In',
  values: ['m5.large', 'm6i.large', 'c5.large'],
};
/** The duration of the throttling. KERF_STORM_SECONDS=60 sets a long one. */
const STORM_MS = Number(process.env['KERF_STORM_SECONDS'] ?? 15) * 1_000;

let api: FakeApiServer;
let kerf: Kerf;
beforeEach(async () => {
  api = await FakeApiServer.start();
  kerf = await startKerf(api.endpoint);
});
afterEach(async () => {
  await kerf.close();
  await api.close();
});

function ask(...pods: readonly string[]): void {
  const { cluster: discovery, node } = kerf.world;
  applyManifests(api, { discovery, node, pods, cpu: '1500m', requirements: [TYPES] });
}

/** Ticks and deliveries until the condition holds. */
async function until(what: string, holds: () => Promise<boolean>, times = 1): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what}: not in 90 s; claims: ${JSON.stringify(await states())}`);
    await kerf.tick();
    while ((await kerf.deliver(times)) > 0);
    await wait(200);
  }
}

const states = async () => (await kerf.claims()).map(({ name, launch, deletion }) => ({ name, launch, deletion }));

async function launchedIds(): Promise<readonly string[]> {
  return (await kerf.claims()).flatMap(({ launch }) => (launch.kind === 'launched' ? [launch.instance.id] : []));
}

const allLaunched = (count: number) => async () => (await launchedIds()).length === count;

/** No duplicate launch, no leak, no lost pod. */
async function expectOneInstanceEach(pods: number): Promise<void> {
  const launched = (await kerf.everLaunched()).map(({ InstanceId = '' }) => InstanceId);
  expect(launched.toSorted()).toEqual([...(await launchedIds())].toSorted());
  expect(launched).toHaveLength(pods);
  expect(await kerf.claims()).toHaveLength(pods);
}

test('a refused call leaves no resources, and the pod gets its instance when EC2 accepts the call', async () => {
  ask('web-1');
  const allow = await kerf.moto.rule({ kind: 'deny', actions: ['CreateFleet'] });
  await until('a launch that was tried', async () => ((await kerf.moto.takeCalls())['CreateFleet'] ?? 0) > 0);
  expect(await kerf.everLaunched()).toEqual([]);
  await allow();
  await until('the launch', allLaunched(1));
  await expectOneInstanceEach(1);
});

test('if the first choice lacks capacity, the same invocation launches the next one', async () => {
  ask('web-1');
  const gone = { kind: 'missing-capacity', instanceType: 'c5.large' } as const;
  await kerf.moto.rule(gone);
  await kerf.tick();
  await kerf.deliver();
  await expectOneInstanceEach(1);
  expect((await kerf.everLaunched())[0]?.InstanceType).not.toBe('c5.large');
  const unavailable = await kerf.catalogue.listUnavailable(Date.now());
  expect(new Set(unavailable.map(({ instanceType }) => instanceType))).toEqual(new Set(['c5.large']));
});

test.each([false, true])(
  'instance types whose pages never end (in a circle: %s) do not change the catalogue',
  async (circle) => {
    const before = await kerf.catalogue.readCatalogue();
    await kerf.moto.rule({ kind: 'endless-pages', actions: ['DescribeInstanceTypes'], circle });
    const { ports } = wireCatalogue({ AWS_REGION: 'us-east-1', TABLE_NAME: 'unused', LAMBDA_TASK_ROOT: '.' });
    const refresh = refreshCatalogue({ ...ports, catalogue: kerf.catalogue });
    await expect(refresh).rejects.toThrow(UnreachableError);
    expect((await kerf.moto.takeCalls())['DescribeInstanceTypes']).toBeLessThanOrEqual(201);
    expect(await kerf.catalogue.readCatalogue()).toEqual(before);
  },
  180_000,
);

test(`in a storm that throttles 90 % of all calls for ${STORM_MS / 1_000} s nothing is lost or duplicated`, async () => {
  ask('web-1', 'web-2', 'web-3');
  const calm = await kerf.moto.rule({ kind: 'throttle', share: 0.9 });
  const end = Date.now() + STORM_MS;
  while (Date.now() < end) {
    await kerf.tick();
    await kerf.deliver();
  }
  await calm();
  await until('three launches', allLaunched(3));
  await expectOneInstanceEach(3);
}, 240_000);

test.each([1, 3])('a response that is lost %i times after the launch causes no second launch', async (times) => {
  ask('web-1');
  await kerf.moto.rule({ kind: 'lose-reply', actions: ['CreateFleet'], times });
  await until('the launch', allLaunched(1));
  // The SDK retries; if that response is lost too, the instance is found by its tags.
  expect((await kerf.moto.takeCalls())['CreateFleet']).toBeGreaterThan(1);
  await expectOneInstanceEach(1);
});

test('messages that are delivered five times, all at once, launch and terminate each instance once', async () => {
  ask('web-1', 'web-2');
  await Promise.all(Array.from({ length: 5 }, () => kerf.wake('provisioning')));
  while ((await kerf.deliver(5)) > 0);
  await until('two launches', allLaunched(2), 5);
  await expectOneInstanceEach(2);
  const ids = await launchedIds();
  for (const name of ['web-1', 'web-2']) api.store.delete(podAt(name), {});
  await Promise.all(ids.map((id) => kerf.interrupt(id, 5)));
  await until('the end of both', async () => (await kerf.world.countInstances()) === 0, 5);
  expect(await kerf.everLaunched()).toHaveLength(2);
  expect((await kerf.claims()).every(({ deletion }) => deletion !== undefined)).toBe(true);
});
