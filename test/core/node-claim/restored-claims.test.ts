import { expect, test } from 'vitest';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { REGISTERED } from '../../../lib/apis/labels.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { decideTermination } from '../../../lib/core/node-claim/termination.ts';
import { terminationView, viewOf } from '../../builders/claim-view.ts';
import { aClaim, anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';

const DELETED = { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } } as const;

test.each([
  ['', {}],
  [' that is being deleted', DELETED],
])('a claim without a launch%s has the instance of its object, also if EC2 no longer lists it', (_, over) => {
  const view = viewOf(aClaim({ launch: { kind: 'planned' }, ...over }), { shown: anInstance({ id: 'i-9' }) });
  const { actions, record } = decideLifecycle(view, NOW_MS);
  expect(actions).toEqual([]);
  expect(record.launch).toMatchObject({ kind: 'launched', instance: { id: 'i-9' } });
});

test('a node that has registered is drained, also if the record of its registration is lost', () => {
  const actions = (node: Node): readonly string[] => {
    const view = terminationView({
      record: launchedClaim(DELETED),
      node,
      pods: [runningPod('a')],
      instanceState: 'alive',
    });
    return decideTermination(view, NOW_MS).actions.map(({ kind }) => kind);
  };
  expect(actions(aNode())).toEqual(['terminate-instance']);
  expect(actions(aNode({ labels: { [REGISTERED]: 'true' } }))).toEqual(['cordon-node', 'evict-pod']);
});
