import { expect, test } from 'vitest';
import { decideLifecycle, type ListedInstance, type NodeClaimView } from '../../../lib/core/node-claim/lifecycle.ts';
import { read } from '../../../lib/core/observed.ts';
import { UNREAD, viewOf } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';

type Seen = Partial<Pick<NodeClaimView, 'listed' | 'node'>>;

function actionsOn(over: Seen) {
  const record = launchedClaim({ registeredAtMs: NOW_MS - HOUR, initializedAtMs: NOW_MS - HOUR });
  return decideLifecycle(viewOf(record, over), NOW_MS).actions;
}

const listed = (isStopped: boolean) => read<ListedInstance>({ atMs: NOW_MS, contains: read(true), isStopped });

test.each([
  ['its node is not Ready', { node: aNode({ ready: false }) }],
  ['it has no node', {}],
])('a claim whose instance EC2 lists as stopped is deleted as by the event, if %s (D15)', (_, over) => {
  expect(actionsOn({ listed: listed(true), ...over })).toMatchObject([
    {
      kind: 'delete-node-claim',
      reason: 'instance_stopped',
      message: 'EC2 lists instance i-1 as stopping or stopped',
    },
  ]);
});

test.each<[string, Seen]>([
  ['its node is Ready, because the list is older', { listed: listed(true), node: aNode() }],
  ['it runs', { listed: listed(false), node: aNode({ ready: false }) }],
  ['the list is not read', { listed: UNREAD, node: aNode({ ready: false }) }],
])('it is not deleted if %s', (_, over) => {
  expect(actionsOn(over).filter(({ kind }) => kind === 'delete-node-claim')).toEqual([]);
});
