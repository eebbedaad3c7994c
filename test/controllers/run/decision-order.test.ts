/** The order of record, act and close: a run that is slow in between must not let another run count its claims twice or not at all. */
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { onFreshState } from '../../../lib/controllers/run/fresh-state.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { read } from '../../../lib/core/observed.ts';
import { ConflictError } from '../../../lib/ports/errors.ts';
import type { WrapInvocation } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { around, withFaults } from '../../../lib/simulator/faults.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { initializedNode } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { launchedFor, live, SMALL_CATALOGUE } from '../life.ts';
import { withoutLeases } from '../without-leases.ts';

/** The first run of provisioning stops before its first action. The second begins then, and ends before the first continues. */
function slowBetweenRecordAndAct() {
  const recorded = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let order: readonly string[] = [];
  const wrapInvocation: WrapInvocation = (ports, invocation) => {
    if (invocation.function !== 'provisioning' || invocation.nth > 2) return ports;
    const isFirst = invocation.nth === 1;
    if (!isFirst) void invocation.ended.then(ended.resolve);
    return around(ports, async ({ method }, go) => {
      if (!isFirst) await recorded.promise;
      if (isFirst && method === 'store.createNodeClaim') {
        recorded.resolve();
        await ended.promise;
      }
      order = [...order, `${isFirst ? 'first' : 'second'} ${method}`];
      return go();
    });
  };
  return { wrapInvocation, order: () => order };
}

test('a run finishes the open decision of a slow run before it decides, so the limits of a pool hold without a lease (promise 2)', async () => {
  const slow = slowBetweenRecordAndAct();
  const { watch, recorded, published } = bus();
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    manifests: someManifests({
      nodePools: [aPool({ limits: { nodes: '3' } })],
      deployments: [aDeployment('web', 8, '30')],
    }),
    scenario: { name: 'limits', events: [] },
    durationMs: 4 * MINUTE_MS,
    invocations: 2,
    wrapPorts: (ports) => withoutLeases(watch(ports)),
    wrapInvocation: slow.wrapInvocation,
  });
  expect(published.toSorted(), 'by one of the two runs').toEqual([...recorded].toSorted());
  const order = slow.order();
  expect(order.indexOf('first store.createNodeClaim')).toBeGreaterThan(order.indexOf('second store.openDecisions'));
  expect(order.filter((call) => call === 'second store.createNodeClaim')).toHaveLength(3);
  expect(launchedFor(result)).toHaveLength(3);
});

/** The recorded decisions that create NodeClaims, and those that were published with their actions. */
function bus() {
  const recorded = new Set<string>();
  const published: string[] = [];
  const watch = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    store: {
      ...ports.store,
      recordDecision: async (decision, ...rest) => {
        await ports.store.recordDecision(decision, ...rest);
        if (decision.actions.some(({ kind }) => kind === 'create-node-claim')) recorded.add(decision.id);
      },
    },
    messages: {
      ...ports.messages,
      publish: async (decision) => {
        if (decision.actions.some(({ kind }) => kind === 'create-node-claim')) published.push(decision.id);
        return ports.messages.publish(decision);
      },
    },
  });
  return { watch, recorded, published };
}

test.each([
  ['store.recordDecision', 'after'],
  ['store.createNodeClaim', 'before'],
  ['store.createNodeClaim', 'after'],
  ['store.closeDecision', 'before'],
] as const)(
  'a decision that is cut off at %s, %s its effect, is published once, by the run that finishes it',
  async (method, where) => {
    const { watch, recorded, published } = bus();
    let calls = 0;
    await live({
      catalogue: SMALL_CATALOGUE,
      wrapPorts: (ports) =>
        withFaults(watch(ports), (call) => (call.method === method && ++calls === 1 ? where : undefined)),
    });
    expect(calls, 'the fault was injected').toBeGreaterThan(0);
    expect(recorded.size).toBeGreaterThan(0);
    expect(published.toSorted()).toEqual([...recorded].toSorted());
  },
);

test('a decision is open until each of its actions is carried out, and is then closed', async () => {
  const calls: string[] = [];
  await live({
    catalogue: SMALL_CATALOGUE,
    wrapInvocation: (ports, invocation) =>
      invocation.function !== 'provisioning'
        ? ports
        : around(ports, async ({ method }, go) => {
            calls.push(method);
            return go();
          }),
  });
  const order = ['store.recordDecision', 'store.createNodeClaim', 'store.closeDecision'].map((one) =>
    calls.indexOf(one),
  );
  expect(order.every((at) => at >= 0)).toBe(true);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test('a claim whose node has changed (409) is reconciled again in the same run, with its current record', async () => {
  const store = memoryNodeClaimStore();
  const cluster = simulatedCluster(kubernetesState(someManifests({})), { now: () => NOW_MS });
  await store.createNodeClaim(aClaim());
  const [record] = await store.listNodeClaims('demo');
  if (record === undefined) throw new Error('there is no record');
  const versions: unknown[] = [];
  const seen = { nodes: read([]) };
  const outcome = await onFreshState({ cluster, store }, { record, seen }, async (each) => {
    versions.push(each.version);
    if (versions.length > 1) return 'done';
    await store.updateNodeClaim({ ...each, registeredAtMs: 1 });
    throw new ConflictError('the node was changed');
  });
  expect(outcome).toBe('done');
  expect(versions).toHaveLength(2);
  expect(versions[1]).not.toBe(versions[0]);
});

test.each([
  [undefined, 3],
  [1, 2],
  [2, 1],
  [5, 1],
])('a run that repeats others after %s conflicts tries a claim %s times', async (conflicts, expected) => {
  const store = memoryNodeClaimStore();
  const cluster = simulatedCluster(kubernetesState(someManifests({})), { now: () => NOW_MS });
  await store.createNodeClaim(aClaim());
  const [record] = await store.listNodeClaims('demo');
  if (record === undefined) throw new Error('there is no record');
  let tries = 0;
  const failing = onFreshState({ cluster, store }, { record, seen: { nodes: read([]) }, conflicts }, async () => {
    tries += 1;
    throw new ConflictError('the node was changed');
  });
  await expect(failing).rejects.toThrow(ConflictError);
  expect(tries).toBe(expected);
});

test('and with its node, if it has joined since the nodes were listed: it is not taken for lost', async () => {
  const store = memoryNodeClaimStore();
  const { node, nodeClaim } = initializedNode();
  const cluster = simulatedCluster(kubernetesState(someManifests({})), { now: () => NOW_MS });
  await store.createNodeClaim(nodeClaim);
  const [record] = await store.listNodeClaims(nodeClaim.cluster);
  if (record === undefined) throw new Error('there is no record');
  const seen = { nodes: read<readonly Node[]>([]) };
  const joined = { ...cluster, readNode: async (name: string) => (name === node.metadata.name ? node : undefined) };
  let tries = 0;
  await onFreshState({ cluster: joined, store }, { record, seen }, async () => {
    tries += 1;
    if (tries === 1) throw new ConflictError('the record was changed');
  });
  expect(seen.nodes).toEqual(read([node]));
});
