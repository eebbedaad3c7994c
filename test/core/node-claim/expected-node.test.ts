import { expect, test } from 'vitest';
import { read } from '../../../lib/core/observed.ts';
import { decide, viewOf } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

const LISTED = { atMs: NOW_MS, contains: read(true) };
const WITH_POD = launchedClaim({ pods: ['default/web-1'] });

test('B66: the name of the node is recorded as soon as EC2 describes it, before the node joins', () => {
  const seen = viewOf(WITH_POD, { listed: read({ ...LISTED, nodeName: 'ip-10-0-0-1.ec2.internal' }) });
  const verdict = decide(seen, NOW_MS);
  expect(verdict.record.expectedNodeName).toBe('ip-10-0-0-1.ec2.internal');
  expect(verdict.isNamed).toBe(true);
  expect(decide({ ...seen, record: verdict.record }, NOW_MS).record).toBe(verdict.record);
});

test('B66: until then, the list of instances is read again within five seconds, for a minute, if pods are planned', () => {
  const dueOf = (record = WITH_POD, nowMs = NOW_MS) =>
    decide(viewOf(record, { listed: read({ ...LISTED, atMs: nowMs }) }), nowMs).due.filter(
      ({ atMs }) => atMs <= nowMs + 5_000,
    );
  expect(dueOf()).toHaveLength(1);
  expect(dueOf(launchedClaim({ pods: [] }))).toEqual([]);
  expect(dueOf(WITH_POD, NOW_MS + 2 * MINUTE)).toEqual([]);
});

test('B66: a node that has joined gives its name itself', () => {
  const seen = viewOf(WITH_POD, { node: aNode(), listed: read({ ...LISTED, nodeName: 'another-name' }) });
  expect(decide(seen, NOW_MS).record.expectedNodeName).toBeUndefined();
});
