import { expect, test } from 'vitest';
import { nodePoolAdvice } from '../../../lib/manifests/lint/node-pool.ts';
import { shippedFigures } from '../../../lib/manifests/lint/values/shipped-figures.ts';
import { aNodePool, type NodePoolOptions } from '../../builders/node-pools.ts';
import { sentences } from './sentences.ts';

function adviceOn(options: NodePoolOptions): readonly string[] {
  return sentences(nodePoolAdvice(aNodePool(options), shippedFigures()));
}

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
  const poolAnnotations = { 'kerf.dev/budget-time-zone': timeZone };
  expect(adviceOn({ disruption: { budgets: [budget] }, poolAnnotations })).toEqual(expected);
});

const GRACE = 'metadata.annotations.kerf.dev/graceful-expiration:';

test.each<readonly [grace: string, expireAfter: string, expected: readonly string[]]>([
  ['24h', '720h', []],
  ['Never', '720h', []],
  [
    '1d',
    '720h',
    [
      `${GRACE} "1d" is not a duration, so a node that expires is deleted at once and not replaced first; write a duration, such as 24h, or Never`,
    ],
  ],
  [
    '24h',
    'Never',
    [
      `${GRACE} has no effect, because the nodes of the NodePool do not expire; write a duration in spec.template.spec.expireAfter, or remove the annotation`,
    ],
  ],
])('D14: the grace period %s of nodes that expire after %s', (grace, expireAfter, expected) => {
  const poolAnnotations = { 'kerf.dev/graceful-expiration': grace };
  expect(adviceOn({ expireAfter, poolAnnotations })).toEqual(expected);
});
