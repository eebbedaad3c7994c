import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { carryOut } from '../../../lib/controllers/run/carry-out.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDecision } from '../../builders/decisions.ts';
import { NOW_MS } from '../../builders/times.ts';
import { UNUSED } from '../../operator/messages.ts';

const NO_ANSWER_MS = 10 * SECOND_MS;

/** A cluster in which the writes of the first nodes get no answer for ten seconds. The time passes while all of them wait. */
function hangingCluster(hanging: number) {
  let nowMs = NOW_MS;
  const waiting: { readonly atMs: number; readonly end: () => void }[] = [];
  const writes: string[] = [];
  const pass = (): void => {
    const next = waiting.shift();
    if (next === undefined) return;
    nowMs = Math.max(nowMs, next.atMs);
    next.end();
  };
  const cluster = {
    patchNode: async ({ name }: { readonly name: string }) => {
      writes.push(name);
      if (numberOf(name) >= hanging) return;
      await new Promise<void>((end) => {
        waiting.push({ atMs: nowMs + NO_ANSWER_MS, end });
        setImmediate(pass);
      });
      throw new UnreachableError('no answer within 10 s');
    },
  };
  const store = { ...memoryNodeClaimStore(), nominate: async () => {} };
  const messages = { wake: async () => {}, publish: async () => {} };
  const known = { cluster, store, messages, clock: { now: () => nowMs } };
  const ports: ControllerPorts = Object.create(UNUSED, Object.getOwnPropertyDescriptors(known));
  return { ports, writes, now: () => nowMs, wait: (ms: number) => (nowMs += ms) };
}

function numberOf(node: string): number {
  return Number(node.slice('node-'.length));
}

function taints(count: number): readonly Action[] {
  return Array.from({ length: count }, (_, at) => ({
    kind: 'cordon-node',
    nodeClaim: `claim-${at}`,
    node: { name: `node-${at}` },
    patch: { taints: [] },
  }));
}

const NOMINATE: Action = { kind: 'nominate-node', node: 'node-1', pods: [], untilMs: NOW_MS };

test('promise 7: nodes whose writes get no answer do not keep others from their taints', async () => {
  const { ports, writes, wait } = hangingCluster(30);
  for (let run = 0; run < 10; run += 1) {
    await carryOut(ports, aDecision({ actions: taints(100) }));
    wait(40 * SECOND_MS);
  }
  expect(new Set(writes.filter((name) => numberOf(name) >= 30)).size).toBe(70);
});

test.each([
  ['that follow each other', taints(100)],
  ['with another action between them', taints(100).flatMap((one, at) => (at === 50 ? [NOMINATE, one] : [one]))],
])(
  'promise 7: taints %s are begun within 20 seconds, each of them once, and have the outcomes of their writes',
  async (_, actions) => {
    const { ports, writes, now } = hangingCluster(100);
    const outcomes = await carryOut(ports, aDecision({ actions }));
    expect(now() - NOW_MS).toBeLessThanOrEqual(20 * SECOND_MS + NO_ANSWER_MS);
    expect(new Set(writes).size).toBe(writes.length);
    expect(outcomes.filter(({ action }) => action.kind === 'cordon-node')).toHaveLength(writes.length);
  },
);
