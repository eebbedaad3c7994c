/** What Kerf writes to an EC2NodeClass, on a real API server: taken whole, given back as it was, never over another's write. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { decideNodeClass, finalizersWanted } from '../../lib/core/node-class/status/decide-node-class.ts';
import { ConflictError } from '../../lib/ports/errors.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { launchContext } from '../builders/launch-context.ts';
import { NOW_MS } from '../builders/times.ts';
import { adminClient, succeed } from './support/api-client.ts';
import { create, installDefinitions, pathOf, removeAll } from './support/resources.ts';
import { aNodeClass } from './support/samples.ts';

let client: ApiClient;
let cluster: KubernetesCluster;

beforeAll(async () => {
  await installDefinitions();
  client = adminClient();
  cluster = new KubernetesCluster({ client, clock: { now: () => NOW_MS } });
});
afterEach(removeAll);
afterAll(() => client.close());

async function theClass(): Promise<EC2NodeClass> {
  const [found] = await cluster.listNodeClasses();
  if (found === undefined) throw new Error('there is no EC2NodeClass');
  return found;
}

/** What a class with all that can be selected is shown as. */
function verdictOn(nodeClass: EC2NodeClass, nowMs = NOW_MS): ReturnType<typeof decideNodeClass> {
  const { resolved } = launchContext();
  const reservation = {
    id: 'cr-0123456789abcdef0',
    instanceType: 'p5.48xlarge',
    zone: 'eu-west-3a',
    ownerId: '123456789012',
    matchCriteria: 'targeted',
    type: 'capacity-block',
    interruptible: true,
    state: 'expiring',
    availableInstances: 3,
    endsAtMs: NOW_MS,
  } as const;
  return decideNodeClass(
    {
      nodeClass,
      found: { ...resolved, capacityReservations: [reservation] },
      problems: [{ reason: 'PlacementGroupNotFound', message: 'none' }],
      instanceProfile: { kind: 'ready', name: 'node' },
    },
    nowMs,
  );
}

test('A3.27, A3.28: the server returns the status as it was written: a later run has nothing to write', async () => {
  await create(aNodeClass({ placementGroupSelector: { name: 'together' } }));
  const fresh = await theClass();
  const { patch = {} } = verdictOn(fresh);
  const shown = await cluster.patchNodeClass(fresh, patch);
  expect(shown?.status).toMatchObject({ amis: [{}], capacityReservations: [{}], conditions: expect.any(Array) });
  expect(shown?.metadata.annotations).toHaveProperty(['karpenter.k8s.aws/ec2nodeclass-hash']);
  expect(verdictOn(await theClass(), NOW_MS + MINUTE_MS).patch).toBeUndefined();
  expect((await theClass()).metadata.generation).toBe(1);
});

test('a removed field of the status is removed on the server', async () => {
  await create(aNodeClass());
  const shown = await cluster.patchNodeClass(await theClass(), verdictOn(await theClass()).patch ?? {});
  if (shown === undefined) throw new Error('it is gone');
  const { subnets: _, amis: _images, ...rest } = shown.status ?? {};
  await cluster.patchNodeClass(shown, { status: rest });
  expect((await theClass()).status).toEqual(rest);
});

test('a write over a version that is not the last is a conflict, on the object and on its status', async () => {
  await create(aNodeClass());
  const before = await theClass();
  await cluster.patchNodeClass(before, { annotations: { first: 'yes' } });
  const { patch = {} } = verdictOn(before);
  await expect(cluster.patchNodeClass(before, { status: patch.status ?? {} })).rejects.toBeInstanceOf(ConflictError);
  await expect(cluster.patchNodeClass(before, { finalizers: [] })).rejects.toBeInstanceOf(ConflictError);
});

test('A3.30: a deleted class stays until its finalizer is removed', async () => {
  await create(aNodeClass());
  const fresh = await theClass();
  await cluster.patchNodeClass(fresh, finalizersWanted(fresh) ?? {});
  await succeed({ method: 'DELETE', path: pathOf(aNodeClass()) });
  const going = await theClass();
  expect(going.metadata.deletionTimestamp).toBeDefined();
  expect(await cluster.patchNodeClass(going, { finalizers: [] })).toBeUndefined();
  expect(await cluster.listNodeClasses()).toEqual([]);
  expect(await cluster.patchNodeClass(going, { finalizers: [] })).toBeUndefined();
});
