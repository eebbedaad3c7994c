import { expect, test } from 'vitest';
import type { DisruptionBudget } from '../../../lib/apis/node-pool.ts';
import { budgetAdvice } from '../../../lib/manifests/lint/budgets.ts';
import { sentences } from './sentences.ts';

function closed(schedule: string, duration: string, more: Partial<DisruptionBudget> = {}): DisruptionBudget {
  return { nodes: '0', schedule, duration, ...more };
}

const NEVER = 'so the nodes of the pool are never consolidated or replaced because of drift';

test.each<readonly [rule: string, budgets: readonly DisruptionBudget[], words: string]>([
  [
    'two halves of a day',
    [closed('0 0 * * *', '12h'), closed('0 12 * * *', '12h')],
    'spec.disruption.budgets: together always block all reasons (budgets[0] "0 0 * * *" for 12h, budgets[1] "0 12 * * *" for 12h)',
  ],
  [
    'the week and its end, beside one that adds nothing',
    [closed('0 9 * * *', '1h'), closed('0 0 * * 1-5', '24h'), closed('0 0 * * 6', '48h')],
    '(budgets[1] "0 0 * * 1-5" for 24h, budgets[2] "0 0 * * 6" for 48h)',
  ],
  [
    'windows that reach into the next week',
    [closed('0 12 * * 6', '48h'), closed('0 12 * * 1', '120h')],
    'together always block all reasons',
  ],
  [
    'halves of a day for some reasons, always for another',
    [
      closed('0 0 * * *', '12h', { reasons: ['Empty', 'Drifted'] }),
      closed('0 12 * * *', '12h', { reasons: ['Empty', 'Drifted'] }),
      { nodes: '0', reasons: ['Underutilized'] },
    ],
    'budgets[2] Underutilized)',
  ],
  [
    'E8: a schedule that never fires',
    [closed('0 0 30 2 *', '1h')],
    'spec.disruption.budgets.0.nodes: is 0 at all times, because "0 0 30 2 *" never fires, and Karpenter then treats the window as open',
  ],
])('closed for all time: %s', (_, budgets, words) => {
  const advice = sentences(budgetAdvice(budgets));
  expect(advice).toHaveLength(1);
  expect(advice[0]).toContain(words);
  expect(advice[0]).toContain(NEVER);
});

test.each<readonly [rule: string, budgets: readonly DisruptionBudget[]]>([
  ['a minute between two windows', [closed('0 0 * * *', '12h'), closed('1 12 * * *', '11h59m')]],
  ['a day of the week without a window', [closed('0 0 * * 1-5', '24h'), closed('0 0 * * 6', '24h')]],
  ['a second half that allows some', [closed('0 0 * * *', '12h'), closed('0 12 * * *', '12h', { nodes: '1' })]],
  [
    'a reason that the second half leaves',
    [closed('0 0 * * *', '12h'), closed('0 12 * * *', '12h', { reasons: ['Empty', 'Drifted'] })],
  ],
  ['the 29th of February', [closed('0 0 29 2 *', '24h')]],
])('not closed: %s', (_, budgets) => {
  expect(sentences(budgetAdvice(budgets))).toEqual([]);
});
