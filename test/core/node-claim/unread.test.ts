import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { decideTermination, type TerminationView } from '../../../lib/core/node-claim/termination.ts';
import { read } from '../../../lib/core/observed.ts';
import { decide, terminationView, UNREAD, viewOf } from '../../builders/claim-view.ts';
import { aClaim, aLaunchRequest, launchedClaim } from '../../builders/node-claims.ts';
import { aNode, CORDONED } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const IN_5_S = [{ atMs: NOW_MS + 5 * SECOND, kind: 'settling' }];
const NOT_READ = [{ reason: 'NotRead', message: "EC2's list of instances could not be read: no answer" }];

function kinds({ actions }: { readonly actions: readonly { readonly kind: string }[] }): readonly string[] {
  return actions.map(({ kind }) => kind);
}

const LABELS = { 'karpenter.k8s.aws/instance-cpu': '2' };

function joining(labels: Readonly<Record<string, string>>, instanceLabels: typeof UNREAD | typeof LABELS) {
  const node = aNode({ labels });
  return decideLifecycle(viewOf(launchedClaim({ registeredAtMs: NOW_MS }), { node, instanceLabels }), NOW_MS);
}

function recordWith(over: Partial<Deletion> = {}): NodeClaimRecord {
  const deletion: Deletion = {
    reason: 'spot_interrupted',
    message: '',
    requestedAtMs: NOW_MS - MINUTE,
    drainStartedAtMs: NOW_MS - MINUTE,
    ...over,
  };
  return launchedClaim({ createdAtMs: NOW_MS - HOUR, nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, deletion });
}

describe('a NodeClass that could not be read does not end a claim that was not tried', () => {
  const launchContext = { reason: 'NotRead', message: 'the EC2NodeClasses could not be read', unread: true } as const;
  const at = (minutes: number) => decide(viewOf(aClaim(), { launchContext }), NOW_MS + minutes * MINUTE);

  test('the claim waits for the next read, at most half an hour after its creation (D8)', () => {
    for (const minutes of [5, 29]) {
      const { actions, blocked, due } = at(minutes);
      expect(actions).toEqual([]);
      expect(blocked).toMatchObject([{ reason: 'NotRead', message: launchContext.message }]);
      expect(due).toEqual([{ atMs: NOW_MS + minutes * MINUTE + 5 * SECOND, kind: 'settling' }]);
    }
    expect(at(30).actions).toMatchObject([{ kind: 'delete-node-claim', reason: 'launch_timeout' }]);
  });

  test('a NodeClass whose status is for an earlier generation does not end it for half an hour', () => {
    const stale = { reason: 'NodeClassNotReady', message: 'it was changed' } as const;
    const seen = (minutes: number) => decide(viewOf(aClaim(), { launchContext: stale }), NOW_MS + minutes * MINUTE);
    for (const minutes of [5, 29]) {
      const { actions, blocked, due } = seen(minutes);
      expect([actions, blocked]).toMatchObject([[], [stale]]);
      expect(due).toEqual([{ atMs: NOW_MS + (minutes + 1) * MINUTE, kind: 'settling' }]);
    }
    expect(kinds(seen(30))).toEqual(['delete-node-claim']);
  });

  test.each([
    ['since before its creation', -60, 5],
    ['from 3 minutes after its creation', 3, 8],
    ['from 28 minutes after its creation', 28, 30],
  ])('a NodeClass that has been unready %s ends it 5 minutes later, and after half an hour', (_, since, minutes) => {
    const unreadySinceMs = NOW_MS + since * MINUTE;
    const unready = { reason: 'NodeClassNotReady', message: 'not ready', unreadySinceMs } as const;
    const view = viewOf(aClaim(), { launchContext: unready });
    expect(kinds(decide(view, NOW_MS + minutes * MINUTE - 1))).toEqual([]);
    expect(kinds(decide(view, NOW_MS + minutes * MINUTE))).toEqual(['delete-node-claim']);
  });
});

function after(minutes: number, takeTurns: boolean | undefined) {
  return decide(viewOf(aClaim(), { takeTurns }), NOW_MS + minutes * MINUTE);
}

describe('a claim that was not tried is launched only while no other one is planned for its pods', () => {
  test('without turns, it is deleted instead three minutes before provisioning gives it up, because clocks differ by two', () => {
    expect(kinds(after(9, false))).toEqual(['delete-node-claim']);
    expect(kinds(decide(viewOf(aClaim(), { takeTurns: false }), NOW_MS + 9 * MINUTE - 1))).toEqual(['launch-instance']);
  });

  test('it is launched as long as it waits for its turn', () => {
    expect(kinds(after(29, true))).toEqual(['launch-instance']);
  });

  test('one that EC2 has throttled waits for its turn, also if no other claim shows that there are turns', () => {
    const launch = { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS, throttled: true } as const;
    const at = NOW_MS + 29 * MINUTE;
    for (const takeTurns of [false, undefined])
      expect(kinds(decide(viewOf(aClaim({ launch }), { takeTurns }), at))).toEqual(['launch-instance']);
  });

  test('a run for a single claim leaves it to the next tick', () => {
    const { actions, due } = after(9, undefined);
    expect([actions, due]).toEqual([[], [{ atMs: NOW_MS + 10 * MINUTE, kind: 'tick' }]]);
    expect(kinds(after(8, undefined))).toEqual(['launch-instance']);
  });
});

describe('an unread list of instances is not an empty list', () => {
  const unlisted = { listed: UNREAD };

  test('an instance does not count as vanished', () => {
    const view = viewOf(launchedClaim(), { ...unlisted, node: aNode({ ready: false }) });
    expect(kinds(decide(view, NOW_MS + 2 * MINUTE))).not.toContain('delete-node-claim');
  });

  test('an instance in a zone that may be shifted away does not count as vanished (C36)', () => {
    const listed = read({ atMs: NOW_MS + HOUR, contains: UNREAD });
    expect(kinds(decide(viewOf(launchedClaim(), { listed }), NOW_MS + MINUTE))).toEqual([]);
  });

  test('a planned claim is launched', () => {
    expect(kinds(decide(viewOf(aClaim(), unlisted), NOW_MS))).toEqual(['launch-instance']);
  });

  test('a claim that EC2 refused is launched with its next offering', () => {
    const launch = { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS } as const;
    expect(kinds(decide(viewOf(aClaim({ launch }), unlisted), NOW_MS))).toEqual(['launch-instance']);
  });

  test('a claim whose last launch has an unknown outcome is not launched again, because an instance may exist', () => {
    const launch = { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS, unknown: true } as const;
    const verdict = decide(viewOf(aClaim({ launch }), unlisted), NOW_MS);
    expect(verdict).toMatchObject({ actions: [], blocked: NOT_READ, due: IN_5_S });
    expect(kinds(decide(viewOf(aClaim({ launch })), NOW_MS))).toEqual(['launch-instance']);
  });

  test('an overdue claim is not given up, because an instance may exist (D8)', () => {
    const record = aClaim({ createdAtMs: NOW_MS - HOUR });
    expect(decide(viewOf(record, unlisted), NOW_MS)).toMatchObject({ actions: [], blocked: NOT_READ, due: IN_5_S });
    expect(kinds(decide(viewOf(record), NOW_MS))).toEqual(['delete-node-claim']);
  });

  test('an unknown launch is not settled as failed (D36)', () => {
    const launch = { kind: 'requested', attempt: 1, request: aLaunchRequest(), atMs: NOW_MS - HOUR } as const;
    const record = aClaim({ createdAtMs: NOW_MS - HOUR, launch });
    expect(decide(viewOf(record, unlisted), NOW_MS)).toMatchObject({ actions: [], record, blocked: NOT_READ });
    expect(decide(viewOf(record), NOW_MS).record.launch).toMatchObject({ kind: 'refused', unknown: true });
  });

  test('a claim that expires is deleted (D14)', () => {
    const record = launchedClaim({ createdAtMs: NOW_MS - 1_000 * HOUR, registeredAtMs: NOW_MS });
    const node = aNode({ labels: { 'karpenter.sh/registered': 'true' } });
    expect(kinds(decide(viewOf(record, { ...unlisted, node }), NOW_MS))).toEqual(['delete-node-claim']);
  });
});

describe('a node joins without what is only needed later', () => {
  test('it is registered without the labels of its instance type', () => {
    const node = aNode();
    const verdict = decideLifecycle(viewOf(launchedClaim(), { node, instanceLabels: UNREAD }), NOW_MS);
    expect(kinds(verdict)).toEqual(['register-node']);
  });

  test('it is not initialized before they are read, and gets them with its initialization', () => {
    const registered = { 'karpenter.sh/registered': 'true' };
    expect(joining(registered, UNREAD)).toMatchObject({ actions: [], blocked: [{ reason: 'NodeNotInitialized' }] });
    expect(joining(registered, LABELS).actions).toMatchObject([
      { kind: 'initialize-node', patch: { labels: { ...LABELS, 'karpenter.sh/initialized': 'true' } } },
    ]);
  });

  test('a label that the node has is not written again', () => {
    const registered = { 'karpenter.sh/registered': 'true', 'karpenter.k8s.aws/instance-cpu': '4' };
    const [action] = joining(registered, LABELS).actions;
    expect(action).toMatchObject({ patch: { labels: { 'karpenter.sh/initialized': 'true' } } });
    expect(JSON.stringify(action)).not.toContain('instance-cpu');
  });

  test('it teaches no memory if the known memory is unread (C4)', () => {
    const node = { ...aNode(), status: { capacity: { memory: '7Gi' } } };
    const view = { ...viewOf(launchedClaim(), { node }), learnedMemory: UNREAD };
    expect(kinds(decideLifecycle(view, NOW_MS))).toEqual(['register-node']);
  });
});

describe('a termination goes on without what it does not need', () => {
  const node = aNode(CORDONED);

  function verdictOn(pods: readonly Pod[], over: Partial<TerminationView> = {}) {
    const view = terminationView({ record: recordWith(), node, pods, instanceState: 'alive' });
    return decideTermination({ ...view, ...over }, NOW_MS);
  }

  const POD = runningPod('node-1', { name: 'web' });

  test('while EC2 cannot be asked, the node is cordoned and its pods are evicted', () => {
    const over = { instanceState: 'unread', node: read(aNode()) } as const;
    expect(kinds(verdictOn([POD], over))).toEqual(['cordon-node', 'evict-pod']);
  });

  test('while EC2 cannot be asked, a drained instance is terminated, and its claim is not released', () => {
    expect(kinds(verdictOn([], { instanceState: 'unread' }))).toEqual(['terminate-instance']);
    expect(kinds(verdictOn([], { instanceState: 'terminated' }))).toEqual(['release-node-claim']);
  });

  test('pods are evicted from a node that cannot be read', () => {
    expect(kinds(verdictOn([POD], { node: UNREAD }))).toEqual(['evict-pod']);
  });

  test('a claim is not released while its node, with its finalizer, cannot be read', () => {
    const verdict = verdictOn([], { node: UNREAD, instanceState: 'terminated' });
    expect(verdict).toMatchObject({ actions: [], due: IN_5_S });
  });

  test('a node whose pods cannot be read is cordoned, and does not count as drained before its deadline', () => {
    const over = { pods: UNREAD, node: read(aNode()) } as const;
    expect(verdictOn([], over)).toMatchObject({ actions: [{ kind: 'cordon-node' }], due: IN_5_S });
    const late = { ...over, record: recordWith({ deadlineMs: NOW_MS }) };
    expect(kinds(verdictOn([], late))).toEqual(['cordon-node', 'terminate-instance']);
  });
});

describe('a node that was registered while the NodeClaims were unread', () => {
  const record = launchedClaim({ registeredAtMs: NOW_MS });
  const labels = { 'karpenter.sh/registered': 'true', 'karpenter.k8s.aws/ec2nodeclass': 'default' };

  test.each([
    ['when it is initialized', 'initialize-node', labels],
    ['after it was initialized', 'register-node', { ...labels, 'karpenter.sh/initialized': 'true' }],
  ])('gets its owner %s (D6)', (_, kind, has) => {
    const [action] = decide(viewOf(record, { node: aNode({ labels: has }), mirrorUid: 'uid-1' }), NOW_MS).actions;
    expect(action).toMatchObject({
      kind,
      patch: { ownerReferences: [{ kind: 'NodeClaim', name: record.name, uid: 'uid-1' }] },
    });
  });

  test('keeps the owner that it has', () => {
    const node = aNode({ labels: { ...labels, 'karpenter.sh/initialized': 'true' } });
    const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: record.name, uid: 'uid-0' }];
    const owned = { ...node, metadata: { ...node.metadata, ownerReferences } };
    expect(decide(viewOf(record, { node: owned, mirrorUid: 'uid-1' }), NOW_MS).actions).toEqual([]);
  });
});
