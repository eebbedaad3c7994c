import { expect, test } from 'vitest';
import { nodePoolAdvice } from '../../../lib/manifests/lint/node-pool.ts';
import { shippedFigures } from '../../../lib/manifests/lint/values/shipped-figures.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { sentences } from './sentences.ts';

test.each<readonly [timeZone: string, schedule: boolean, expected: readonly string[]]>([
  ['Europe/Paris', true, []],
  [
    'Europe/Pariss',
    true,
    [
      'metadata.annotations.kerf.dev/budget-time-zone: "Europe/Pariss" is not the name of a time zone, so budgets with a schedule allow no disruption; write an IANA name, such as Europe/Paris or UTC',
    ],
  ],
  [
    'Europe/Paris',
    false,
    [
      'metadata.annotations.kerf.dev/budget-time-zone: has no effect, because no budget of the NodePool has a schedule; write a budget with schedule and duration, or remove the annotation',
    ],
  ],
])('G7: the time zone %s of budgets with a schedule: %s', (timeZone, schedule, expected) => {
  const budget = schedule ? { nodes: '1', schedule: '0 22 * * *', duration: '4h' } : { nodes: '1' };
  const nodePool = aNodePool({ disruption: { budgets: [budget] } });
  const annotations = { 'kerf.dev/budget-time-zone': timeZone };
  const advice = nodePoolAdvice({ ...nodePool, metadata: { ...nodePool.metadata, annotations } }, shippedFigures());
  expect(sentences(advice)).toEqual(expected);
});
