import { describe, expect, test } from 'vitest';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { DO_NOT_DISRUPT, REGISTERED } from '../../../lib/apis/labels.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { decideTermination, type TerminationView } from '../../../lib/core/node-claim/termination.ts';
import { read } from '../../../lib/core/observed.ts';
import { terminationView, UNREAD, viewOf } from '../../builders/claim-view.ts';
import { aClaim, anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

const DELETED = { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } } as const;
const BEING_DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const WITHOUT_LAUNCH = { launch: { kind: 'planned' } } as const;

function kinds(view: TerminationView): readonly string[] {
  return decideTermination(view, NOW_MS).actions.map(({ kind }) => kind);
}

describe('a claim without a launch, as after a restore of the table', () => {
  const shown = read(anInstance({ id: 'i-9' }));

  test.each([
    ['', {}],
    [', and while it is being deleted', DELETED],
  ])('has the instance of its object, also if EC2 no longer lists it%s', (_, over) => {
    const { actions, record } = decideLifecycle(viewOf(aClaim({ ...WITHOUT_LAUNCH, ...over }), { shown }), NOW_MS);
    expect(actions).toEqual([]);
    expect(record.launch).toMatchObject({ kind: 'launched', instance: { id: 'i-9' } });
  });

  test.each([
    ['the list of instances', { listed: UNREAD }],
    ['its object', { shown: UNREAD }],
    ['the list of instances, if its object is being deleted and has one,', { listed: UNREAD, shown, ...BEING_DELETED }],
  ])('is not given up before %s is read', (_, over) => {
    const claim = aClaim({ ...WITHOUT_LAUNCH, createdAtMs: NOW_MS - HOUR });
    const { record, blocked, due } = decideLifecycle(viewOf(claim, over), NOW_MS);
    expect(record).toBe(claim);
    expect(blocked).toMatchObject([{ reason: 'NotRead' }]);
    expect(due.length).toBeGreaterThan(0);
    const late = decideLifecycle(viewOf(claim), NOW_MS);
    expect(late.actions).toMatchObject([{ kind: 'delete-node-claim', reason: 'launch_timeout' }]);
  });

  test('is not deleted with its NodePool before the list of instances is read', () => {
    const claim = aClaim(WITHOUT_LAUNCH);
    const { record, actions, blocked } = decideLifecycle(
      viewOf(claim, { listed: UNREAD, isOfFormerPool: true }),
      NOW_MS,
    );
    expect({ record, actions }).toEqual({ record: claim, actions: [] });
    expect(blocked).toMatchObject([{ reason: 'NotRead' }]);
  });
});

describe('a claim whose registration is not recorded', () => {
  const record = launchedClaim(DELETED);
  const on = (node: Node, pods = [runningPod('a')]): TerminationView =>
    terminationView({ record, node, pods, instanceState: 'alive' });
  const registered = aNode({ labels: { [REGISTERED]: 'true' } });

  test('is drained if its node has registered', () => {
    expect(kinds(on(aNode()))).toEqual(['terminate-instance']);
    expect(kinds(on(registered))).toEqual(['cordon-node', 'evict-pod']);
  });

  test('is terminated after its node is read, but not later than its deadline or an interruption', () => {
    const unread = (deletion: object): TerminationView => ({
      ...on(registered),
      node: UNREAD,
      record: launchedClaim({ deletion: { ...DELETED.deletion, ...deletion } }),
    });
    expect(decideTermination(unread({}), NOW_MS)).toMatchObject({ actions: [], due: [{}] });
    expect(kinds(unread({ deadlineMs: NOW_MS + MINUTE }))).toEqual([]);
    expect(kinds(unread({ deadlineMs: NOW_MS }))).toEqual(['terminate-instance']);
    expect(kinds(unread({ reason: 'spot_interrupted' }))).toEqual(['terminate-instance']);
  });

  test('names its node where a pod keeps it', () => {
    const kept = runningPod('a', { annotations: { [DO_NOT_DISRUPT]: 'true' } });
    const [blocked] = decideTermination(on(registered, [kept]), NOW_MS).blocked;
    expect(blocked?.message).toContain(`node ${registered.metadata.name} is not terminated`);
  });
});
