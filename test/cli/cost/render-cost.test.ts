import { expect, test } from 'vitest';
import { instanceCostText, podCostText } from '../../../lib/cli/cost/render-cost.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';

test('of nothing, no row has a share: NodeOverlays may set prices to 0', () => {
  const table = { fromMs: NOW_MS - HOUR, untilMs: NOW_MS, spans: [], hours: [], width: 120 };
  const instances = instanceCostText([{ key: 'general', nodes: 1, nodeHours: 1, usd: 0 }], new Map(), {
    ...table,
    by: 'pool',
  });
  const pods = podCostText([{ key: 'shop', cpuHours: 1, memoryGibHours: 1, usd: 0 }], { ...table, title: 'namespace' });
  expect(instances.split('\n').at(-2)).toMatch(/^general +1 +1\.0 +0\.0000 +\$0\.00 +- +-$/);
  expect(pods.split('\n').at(-2)).toMatch(/^shop +1\.0 +1\.0 +\$0\.00 +-$/);
});
