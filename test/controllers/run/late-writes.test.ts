import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { FunctionName, WrapInvocation } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { around, type PortCall } from '../../../lib/simulator/faults.ts';
import { expectAllGone, expectOneClaimAPod, expectOneInstanceAClaim, live, SMALL_CATALOGUE } from '../life.ts';

/** Notes each write that loses what another run wrote, and reports each record that was written. */
function watchingRecords(lost: string[], written: (record: NodeClaimRecord) => void) {
  return (ports: ControllerPorts): ControllerPorts => {
    const { store } = ports;
    const compare = (before: NodeClaimRecord | undefined, after: NodeClaimRecord): void => {
      if (before?.launch.kind === 'launched' && after.launch.kind !== 'launched') lost.push(`${after.name}: launch`);
      for (const field of ['registeredAtMs', 'initializedAtMs', 'deletion', 'releasedAtMs'] as const) {
        if (before?.[field] !== undefined && after[field] === undefined) lost.push(`${after.name}: ${field}`);
      }
    };
    return {
      ...ports,
      store: {
        ...store,
        createNodeClaim: async (record) => {
          const before = await store.readNodeClaim(record.cluster, record.name);
          await store.createNodeClaim(record);
          compare(before, (await store.readNodeClaim(record.cluster, record.name)) ?? record);
        },
        updateNodeClaim: async (record) => {
          const before = await store.readNodeClaim(record.cluster, record.name);
          const after = await store.updateNodeClaim(record);
          compare(before, after);
          written(after);
          return after;
        },
      },
    };
  };
}

function isCreation({ method }: PortCall): boolean {
  return method === 'store.createNodeClaim';
}

function isWrite({ method, args }: PortCall, word: string): boolean {
  return method === 'store.updateNodeClaim' && JSON.stringify(args).includes(word);
}

/** Holds the first call that matches, in one invocation of the function, until `until` resolves. */
function holding(name: FunctionName, matches: (call: PortCall) => boolean, until: Promise<void>) {
  let held: number | undefined;
  const wrapInvocation: WrapInvocation = (ports, { function: own, nth }) => {
    if (own !== name) return ports;
    return around(ports, async (call, go) => {
      if (held === undefined && matches(call)) {
        held = nth;
        await until;
      }
      return go();
    });
  };
  return { wrapInvocation, isHeld: () => held !== undefined };
}

const INTERRUPTED = {
  name: 'interrupted',
  events: [
    { kind: 'interruptSpot', atMs: 90 * SECOND_MS, count: 1 },
    { kind: 'scale', atMs: 8 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
  ],
} as const;

test('a claim that is created again after its launch keeps its instance', async () => {
  const launched = Promise.withResolvers<void>();
  const lost: string[] = [];
  const { wrapInvocation, isHeld } = holding('provisioning', isCreation, launched.promise);
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    wrapInvocation,
    // Disruption finishes the open decision, and lifecycle launches the claim.
    wrapPorts: watchingRecords(lost, ({ launch }) => {
      if (launch.kind === 'launched') launched.resolve();
    }),
  });
  expect(isHeld()).toBe(true);
  expect(lost).toEqual([]);
  expectOneInstanceAClaim(result);
  expectOneClaimAPod(result);
  expectAllGone(result);
});

test.each(['"registeredAtMs"', '"initializedAtMs"'])(
  'a run that writes %s after another run has deleted the claim does not take the deletion back',
  async (field) => {
    const deleted = Promise.withResolvers<void>();
    const lost: string[] = [];
    const { wrapInvocation, isHeld } = holding('lifecycle', (call) => isWrite(call, field), deleted.promise);
    const result = await live({
      catalogue: SMALL_CATALOGUE,
      scenario: INTERRUPTED,
      wrapInvocation,
      wrapPorts: watchingRecords(lost, ({ deletion }) => {
        if (deletion !== undefined) deleted.resolve();
      }),
    });
    expect(isHeld()).toBe(true);
    expect(lost).toEqual([]);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  },
);

test('D16: a deletion that is written after another run has released the claim does not bring it back', async () => {
  const released = Promise.withResolvers<void>();
  const lost: string[] = [];
  const { wrapInvocation, isHeld } = holding(
    'termination',
    (call) => isWrite(call, '"drainStartedAtMs"'),
    released.promise,
  );
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: INTERRUPTED,
    wrapInvocation,
    wrapPorts: watchingRecords(lost, ({ releasedAtMs }) => {
      if (releasedAtMs !== undefined) released.resolve();
    }),
  });
  expect(isHeld()).toBe(true);
  expect(lost).toEqual([]);
  expectOneInstanceAClaim(result);
  expectAllGone(result);
});

function isOfDeleted({ method, args }: PortCall): boolean {
  return method === 'cluster.applyNodeClaim' && JSON.stringify(args).includes('InstanceTerminating');
}

test('the object of a deleted claim is not created again by a run that had listed it before it was removed', async () => {
  const removed = Promise.withResolvers<void>();
  const gone = new Set<string>();
  const createdAgain = new Set<string>();
  const { wrapInvocation, isHeld } = holding('lifecycle', isOfDeleted, removed.promise);
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: INTERRUPTED,
    durationMs: 30 * MINUTE_MS,
    wrapInvocation,
    wrapPorts: (ports) =>
      around(ports, async ({ method, args }, go) => {
        const answer = await go();
        if (method === 'cluster.removeNodeClaim') {
          gone.add(String(args[0]));
          removed.resolve();
        }
        const names = (await ports.cluster.listNodeClaims()).map(({ metadata }) => metadata.name);
        for (const name of names) if (gone.has(name)) createdAgain.add(name);
        return answer;
      }),
  });
  expect(isHeld()).toBe(true);
  expect([...createdAgain]).toEqual([]);
  expectAllGone(result);
});
