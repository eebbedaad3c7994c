import { expect, test } from 'vitest';
import { compareHour } from '../../../lib/cli/report/compare-hour.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool } from '../../snapshot/documents.ts';

test('nodes beyond the replicas of a static NodePool are not part of what Kerf plans (D31)', () => {
  const names = ['node-1', 'node-2', 'node-3'];
  const text = JSON.stringify(
    aDocument({
      options: { now: '2026-01-31T08:00:00Z', staticCapacity: true },
      nodePools: [aGivenPool('general', { replicas: 1 })],
      nodes: names.map((name) => aGivenNode(name)),
      nodeClaims: names.map((name) => aGivenClaim(name)),
      pods: names.map((name) => aGivenPod(`web-${name}`, { nodeName: name })),
    }),
  );
  const { nodes, usdPerHour, planned } = compareHour({ text, name: 'a.json', sinceMs: 0 });
  expect(nodes).toHaveLength(3);
  expect(planned).toEqual({ nodes: 1, usdPerHour: expect.closeTo(usdPerHour / 3), evictions: 2 });
});
