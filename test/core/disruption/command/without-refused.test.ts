import { expect, test } from 'vitest';
import { withoutRefused } from '../../../../lib/core/disruption/command/without-refused.ts';
import type { EndDisruption } from '../../../../lib/core/model/decision.ts';
import { NOW_MS } from '../../../builders/times.ts';

const END: EndDisruption = {
  kind: 'end-disruption',
  command: 'command-1',
  outcome: 'executed',
  why: 'all candidates are valid',
  nodes: ['a', 'b'],
  savingUsdPerHour: 0.25,
  moved: {
    command: 'command-1',
    atMs: NOW_MS,
    untilMs: NOW_MS + 1,
    launched: ['claim-c'],
    evicted: { 'Deployment default/api': 1, 'Deployment default/web': 5 },
  },
  deletes: [
    { nodeClaim: 'claim-a', node: 'a', priceUsdPerHour: 0.2, evicted: { 'Deployment default/web': 3 } },
    {
      nodeClaim: 'claim-b',
      node: 'b',
      priceUsdPerHour: 0.1,
      evicted: { 'Deployment default/api': 1, 'Deployment default/web': 2 },
    },
  ],
};

test('a command whose deletions were accepted ends as it was decided', () => {
  expect(withoutRefused(END, new Map([['claim-other', 'denied']]))).toBe(END);
});

test('a command whose only deletions were refused is rejected: it has saved and moved nothing', () => {
  const refusals = new Map([
    ['claim-a', 'denied'],
    ['claim-b', 'denied'],
  ]);
  expect(withoutRefused(END, refusals)).toEqual({
    kind: 'end-disruption',
    command: 'command-1',
    outcome: 'rejected',
    why: 'the deletion of a, b was refused: denied',
    nodes: ['a', 'b'],
    refused: [
      { nodeClaim: 'claim-a', node: 'a', message: 'denied' },
      { nodeClaim: 'claim-b', node: 'b', message: 'denied' },
    ],
  });
});

test('of a command with a refused deletion, the nodes that are deleted count', () => {
  expect(withoutRefused(END, new Map([['claim-b', 'denied']]))).toEqual({
    ...END,
    why: 'all candidates are valid; the deletion of b was refused: denied',
    savingUsdPerHour: 0.15,
    moved: { ...END.moved, evicted: { 'Deployment default/web': 3 } },
    deletes: END.deletes?.slice(0, 1),
    refused: [{ nodeClaim: 'claim-b', node: 'b', message: 'denied' }],
  });
});
