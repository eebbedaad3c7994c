import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { changeSoftTaints, refusedTaints } from '../../../lib/controllers/disruption/soft-taints.ts';
import type { NodeChange } from '../../../lib/core/model/decision.ts';
import { ConflictError, RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';

function changes(count: number): readonly NodeChange[] {
  return Array.from({ length: count }, (_, at) => ({
    nodeClaim: `claim-${at}`,
    node: { name: `node-${at}` },
    patch: { taints: [] },
  }));
}

/** A cluster in which each write takes `passMs`. */
function world(answer: (name: string) => void, passMs = 0) {
  let nowMs = 0;
  const sent: string[] = [];
  const cluster = {
    patchNode: async ({ name }: { readonly name: string }) => {
      sent.push(name);
      nowMs += passMs;
      await Promise.resolve();
      answer(name);
    },
  };
  return { ports: { cluster, clock: { now: () => nowMs }, refusals: reportedRefusals() }, sent };
}

test('E38: a run changes taints for ten seconds at most', async () => {
  const { ports, sent } = world(() => undefined, 1_000);
  expect(await changeSoftTaints(ports, 'demo', changes(200))).toEqual([]);
  expect(sent).toHaveLength(10);
});

test('E38: if the API server does not answer, a run ends after a few requests with one failure', async () => {
  const { ports, sent } = world(() => {
    throw new UnreachableError('no answer');
  });
  const failures = await changeSoftTaints(ports, 'demo', changes(200));
  expect(failures.map(({ message }) => message)).toEqual(['taints of nodes: no answer']);
  expect(sent.length).toBeLessThanOrEqual(20);
});

test('E38: a refusal is reported once, and its nodes are left out for five minutes', async () => {
  const { ports } = world(() => {
    throw new RefusedError('denied');
  });
  const nodes = changes(3).map(({ node }) => node.name);
  expect(await changeSoftTaints(ports, 'demo', changes(2))).toHaveLength(1);
  expect(await changeSoftTaints(ports, 'demo', changes(2))).toEqual([]);
  expect([...refusedTaints(ports, 'demo', nodes)]).toEqual(['node-0', 'node-1']);
  const later = { ...ports, clock: { now: () => 5 * MINUTE_MS } };
  expect([...refusedTaints(later, 'demo', nodes)]).toEqual([]);
});

test('E38: a node that has changed meanwhile is left to the next run', async () => {
  const { ports, sent } = world(() => {
    throw new ConflictError('409');
  });
  expect(await changeSoftTaints(ports, 'demo', changes(30))).toEqual([]);
  expect(sent).toHaveLength(30);
  expect(refusedTaints(ports, 'demo', ['node-0']).size).toBe(0);
});

test('E38: an error that is not of a port is a refusal of its node only', async () => {
  const { ports, sent } = world((name) => {
    if (name === 'node-0') throw new TypeError('a bug');
  });
  const failures = await changeSoftTaints(ports, 'demo', changes(30));
  expect(failures.map(({ message }) => message)).toEqual(['taints of nodes: unexpected error: TypeError: a bug']);
  expect(sent).toHaveLength(30);
  expect([...refusedTaints(ports, 'demo', ['node-0', 'node-1'])]).toEqual(['node-0']);
});
