import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { ClaimVerdict } from '../../../lib/core/node-claim/claim-verdict.ts';
import { decideTermination, type TerminationView } from '../../../lib/core/node-claim/termination.ts';
import { terminationView } from '../../builders/claim-view.ts';
import { aClaim, aLaunchRequest, launchedClaim } from '../../builders/node-claims.ts';
import { aNode, CORDONED } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const;

function deletion(over: Partial<Deletion> = {}): Deletion {
  return { reason: 'empty', message: '', requestedAtMs: NOW_MS, ...over };
}

/** A registered claim, one hour old, that is being deleted, with a cordoned node and a running instance. */
function viewOf(
  pods: readonly Pod[] = [],
  over: Partial<Parameters<typeof terminationView>[0]> = {},
  record: Partial<NodeClaimRecord> = {},
): TerminationView {
  return terminationView({
    record: launchedClaim({
      createdAtMs: NOW_MS - HOUR,
      nodeName: 'node-1',
      registeredAtMs: NOW_MS - HOUR,
      deletion: deletion(),
      ...record,
    }),
    node: aNode(CORDONED),
    pods,
    instanceState: 'alive',
    ...over,
  });
}

function pod(name: string, over: PodOptions = {}): Pod {
  return runningPod('node-1', { name, ...over });
}

/** The names of the evicted pods; for deleted pods, with their grace period in seconds. */
function evicted({ actions }: ClaimVerdict): readonly string[] {
  return actions.flatMap((action) =>
    action.kind === 'evict-pod'
      ? [action.force === undefined ? action.pod.name : `${action.pod.name}!${action.force.graceSeconds}`]
      : [],
  );
}

function kinds(actions: readonly Action[]): readonly string[] {
  return actions.map((action) => action.kind);
}

const critical = { priorityClassName: 'system-cluster-critical' };

const graceful = (seconds: number) => ({ spec: { nodeName: 'node-1', terminationGracePeriodSeconds: seconds } });

describe('the drain', () => {
  test('begins with the taint and the label that excludes the node from load balancers (D19)', () => {
    const node = aNode({ taints: [{ key: 'team', effect: 'NoSchedule' }], resourceVersion: '7' });
    const { actions, record } = decideTermination(viewOf([pod('a')], { node }), NOW_MS);
    expect(actions[0]).toEqual({
      kind: 'cordon-node',
      nodeClaim: 'general-1',
      node: { name: 'node-1', resourceVersion: '7' },
      patch: {
        taints: [{ key: 'team', effect: 'NoSchedule' }, DISRUPTED],
        labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' },
      },
    });
    expect(record.deletion?.drainStartedAtMs).toBe(NOW_MS);
  });

  test('a node that a disruption command has tainted is cordoned too, and keeps one taint (D19, E33)', () => {
    const { actions } = decideTermination(viewOf([pod('a')], { node: aNode({ taints: [DISRUPTED] }) }), NOW_MS);
    expect(actions[0]).toMatchObject({
      kind: 'cordon-node',
      patch: { taints: [DISRUPTED], labels: CORDONED.labels },
    });
  });

  test('a cordoned node is not cordoned again', () => {
    expect(kinds(decideTermination(viewOf([pod('a')]), NOW_MS).actions)).toEqual(['evict-pod']);
  });

  test('evicts tier by tier: pods, DaemonSet pods, critical pods, critical DaemonSet pods (D20)', () => {
    const tiers = [
      pod('plain'),
      pod('daemon', { owner: 'DaemonSet' }),
      pod('critical', { spec: { nodeName: 'node-1', ...critical } }),
      pod('critical-daemon', {
        owner: 'DaemonSet',
        spec: { nodeName: 'node-1', priorityClassName: 'system-node-critical' },
      }),
    ];
    const order = tiers.map((_, index) => evicted(decideTermination(viewOf(tiers.slice(index).toReversed()), NOW_MS)));
    expect(order).toEqual([['plain'], ['daemon'], ['critical'], ['critical-daemon']]);
  });

  test('in a tier, the pods that are hardest to place are evicted first', () => {
    const pods = [pod('a', { requests: { cpu: '1' } }), pod('b', { requests: { cpu: '2' } })];
    expect(evicted(decideTermination(viewOf(pods), NOW_MS))).toEqual(['b', 'a']);
  });

  test('a numeric priority does not make a pod critical (D20)', () => {
    const pods = [pod('a', { spec: { nodeName: 'node-1', priority: 2_000_000_000 } }), pod('b')];
    expect(evicted(decideTermination(viewOf(pods), NOW_MS))).toEqual(['a', 'b']);
  });

  test('the next tier waits until the pods of this tier are gone, not only evicted (D20)', () => {
    const pods = [pod('plain', { deletionMs: NOW_MS + MINUTE }), pod('daemon', { owner: 'DaemonSet' })];
    expect(evicted(decideTermination(viewOf(pods), NOW_MS))).toEqual([]);
  });

  test('an eviction has the UID of the pod, so that a new pod of the same name is not evicted (D23)', () => {
    expect(decideTermination(viewOf([pod('a')]), NOW_MS).actions).toEqual([
      { kind: 'evict-pod', nodeClaim: 'general-1', pod: { namespace: 'default', name: 'a', uid: 'uid-default-a' } },
    ]);
  });

  test('waits for terminating pods, and is reconciled again in 5 s (D23)', () => {
    const verdict = decideTermination(viewOf([pod('a', { deletionMs: NOW_MS + MINUTE })]), NOW_MS + HOUR / 2);
    expect(evicted(verdict)).toEqual([]);
    const young = decideTermination(viewOf([pod('a', { deletionMs: NOW_MS + MINUTE })]), NOW_MS);
    expect(young).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND }] });
  });

  test.each<[string, PodOptions]>([
    ['that have completed', { status: { phase: 'Succeeded' } }],
    ['that are static pods of the node', { owner: 'Node' }],
    ['that tolerate the disruption', { spec: { nodeName: 'node-1', tolerations: [{ operator: 'Exists' }] } }],
    ['that should have terminated three minutes ago', { deletionMs: NOW_MS - 181 * SECOND }],
  ])('does not wait for pods %s (D21)', (_, over) => {
    const record = { deletion: deletion({ drainStartedAtMs: NOW_MS - MINUTE }) };
    expect(kinds(decideTermination(viewOf([pod('a', over)], {}, record), NOW_MS).actions)).toEqual([
      'terminate-instance',
    ]);
  });

  test('do-not-disrupt blocks the drain, and is reported (D23)', () => {
    const held = pod('held', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const verdict = decideTermination(viewOf([held, pod('other')]), NOW_MS);
    expect(evicted(verdict)).toEqual(['other']);
    expect(verdict.blocked).toMatchObject([
      { subject: { kind: 'Pod', namespace: 'default', name: 'held' }, reason: 'DoNotDisrupt' },
    ]);
    expect(kinds(decideTermination(viewOf([held]), NOW_MS + HOUR).actions)).toEqual([]);
  });

  test('a blocked pod also delays the eviction of DaemonSet pods (D20)', () => {
    const held = pod('held', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    expect(evicted(decideTermination(viewOf([held, pod('daemon', { owner: 'DaemonSet' })]), NOW_MS))).toEqual([]);
  });

  test('takes at least 5 s, for late pods (D22)', () => {
    const early = decideTermination(viewOf([]), NOW_MS);
    expect(early).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND, kind: 'settling' }] });
    expect(early.record.deletion?.drainStartedAtMs).toBe(NOW_MS);
    const late = decideTermination({ ...viewOf([]), record: early.record }, NOW_MS + 5 * SECOND);
    expect(kinds(late.actions)).toEqual(['terminate-instance']);
    expect(late.record.deletion?.terminateRequestedAtMs).toBeUndefined();
    expect(late.whenDone?.deletion?.terminateRequestedAtMs).toBe(NOW_MS + 5 * SECOND);
  });
});

describe('with a deadline, pods are deleted in time to use their grace period (D24)', () => {
  const until = (ms: number) => ({ deletion: deletion({ deadlineMs: NOW_MS + ms }) });
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const endsInOneHour = (deletionGraceSeconds: number) => ({
    ...graceful(3_600),
    deletionMs: NOW_MS + HOUR,
    deletionGraceSeconds,
  });

  test.each<[string, PodOptions, number, readonly string[]]>([
    ['before that time: it is evicted', graceful(60), 61 * SECOND, ['a']],
    ['its grace period would end at the deadline: it is deleted', graceful(60), 60 * SECOND, ['a!60']],
    ['30 s is the default grace period', {}, 30 * SECOND, ['a!30']],
    ['the deadline has passed: one second of grace', {}, -MINUTE, ['a!1']],
    ['do-not-disrupt is ignored from then on', { annotations }, 10 * SECOND, ['a!10']],
    ['do-not-disrupt is respected until then', { annotations }, 31 * SECOND, []],
    ['it ends before the deadline: it is not deleted again', { deletionMs: NOW_MS + 9 * SECOND }, 10 * SECOND, []],
    ['it ends after the deadline: it is deleted again', endsInOneHour(3_600), 10 * SECOND, ['a!10']],
    ['its grace period is counted from the first deletion', endsInOneHour(4_600), 600 * SECOND, ['a!1600']],
    ['the same after the deadline: one more second', endsInOneHour(4_600), -MINUTE, ['a!1001']],
  ])('%s', (...[, over, left, expected]) => {
    expect(evicted(decideTermination(viewOf([pod('a', over)], {}, until(left)), NOW_MS))).toEqual(expected);
  });

  test('all tiers at once', () => {
    const pods = [
      pod('plain'),
      pod('daemon', { owner: 'DaemonSet' }),
      pod('critical', { spec: { nodeName: 'node-1', ...critical } }),
    ];
    expect(evicted(decideTermination(viewOf(pods, {}, until(10 * SECOND)), NOW_MS))).toEqual([
      'plain!10',
      'daemon!10',
      'critical!10',
    ]);
  });

  test('at the deadline the instance is terminated, also if the API server deletes no pod', () => {
    const record = { deletion: deletion({ deadlineMs: NOW_MS, drainStartedAtMs: NOW_MS - MINUTE }) };
    const before = decideTermination(viewOf([pod('a')], {}, record), NOW_MS - 2 * SECOND);
    expect(before).toMatchObject({ due: [{ atMs: NOW_MS }] });
    expect(kinds(before.actions)).toEqual(['evict-pod']);
    const late = decideTermination(viewOf([pod('a')], {}, record), NOW_MS);
    expect(kinds(late.actions)).toEqual(['evict-pod', 'terminate-instance']);
  });

  test('a pod that is bound after the deadline is deleted while EC2 refuses to terminate the instance', () => {
    const terminationRefused = { message: 'refused', sinceMs: NOW_MS, retryAtMs: NOW_MS + MINUTE };
    const record = {
      deletion: deletion({ deadlineMs: NOW_MS, drainStartedAtMs: NOW_MS - MINUTE, terminationRefused }),
    };
    const verdict = decideTermination(viewOf([pod('late')], {}, record), NOW_MS + 10 * SECOND);
    expect(evicted(verdict)).toEqual(['late!1']);
    expect(verdict.blocked).toMatchObject([{ reason: 'TerminationRefused' }]);
    expect(verdict.due).toContainEqual({ atMs: NOW_MS + MINUTE, kind: 'settling' });
  });

  test('a drain that begins at its deadline has the shortest drain to delete pods (D22)', () => {
    const record = { deletion: deletion({ deadlineMs: NOW_MS }) };
    const verdict = decideTermination(viewOf([pod('a')], {}, record), NOW_MS);
    expect(evicted(verdict)).toEqual(['a!1']);
    expect(verdict.due).toEqual([{ atMs: NOW_MS + 5 * SECOND, kind: 'settling' }]);
  });

  test('without a deadline no pod is deleted', () => {
    expect(evicted(decideTermination(viewOf([pod('a')]), NOW_MS + 999 * HOUR))).toEqual(['a']);
  });
});

describe('the end of the claim', () => {
  test('a claim that is not being deleted is ignored', () => {
    expect(decideTermination(terminationView({ record: launchedClaim() }), NOW_MS)).toMatchObject({
      actions: [],
      due: [],
    });
  });

  test('the outcome of an unknown launch is determined first (D36)', () => {
    const launch = { kind: 'requested', attempt: 1, request: aLaunchRequest(), atMs: NOW_MS } as const;
    const view = terminationView({ record: aClaim({ launch, deletion: deletion() }) });
    expect(decideTermination(view, NOW_MS)).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND }] });
  });

  test('a claim that was not launched is released immediately', () => {
    expect(decideTermination(terminationView({ record: aClaim({ deletion: deletion() }) }), NOW_MS).actions).toEqual([
      { kind: 'release-node-claim', nodeClaim: 'general-1', atMs: NOW_MS },
    ]);
  });

  test('an instance without a registered node is terminated without a drain (D27)', () => {
    const record = launchedClaim({ deletion: deletion() });
    const view = terminationView({ record, node: aNode(), pods: [pod('a')], instanceState: 'alive' });
    expect(decideTermination(view, NOW_MS)).toMatchObject({
      actions: [{ kind: 'terminate-instance', instanceId: 'i-1' }],
      due: [{ atMs: NOW_MS + 10 * SECOND }],
    });
  });

  test('termination waits for an instance that is shutting down (D26)', () => {
    const verdict = decideTermination(viewOf([pod('a')], { instanceState: 'shutting-down' }), NOW_MS);
    expect(verdict).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 10 * SECOND }] });
  });

  test('after the instance has terminated, node and claim are released, and other finalizers are kept (D26)', () => {
    const view = viewOf([pod('a')], {
      instanceState: 'terminated',
      node: aNode({ finalizers: ['karpenter.sh/termination', 'other'], resourceVersion: '9' }),
    });
    expect(decideTermination(view, NOW_MS).actions).toEqual([
      {
        kind: 'release-node-claim',
        nodeClaim: 'general-1',
        atMs: NOW_MS,
        node: { name: 'node-1', resourceVersion: '9' },
        finalizers: ['other'],
      },
    ]);
  });

  test('a new instance that is not listed yet is not treated as terminated', () => {
    const view = terminationView({ record: launchedClaim({ deletion: deletion() }) });
    expect(decideTermination(view, NOW_MS + 3 * MINUTE - SECOND)).toMatchObject({
      actions: [],
      due: [{ atMs: NOW_MS + 3 * MINUTE }],
    });
    expect(kinds(decideTermination(view, NOW_MS + 3 * MINUTE).actions)).toEqual(['release-node-claim']);
  });

  test('a Ready node is drained, even if EC2 does not list its instance', () => {
    const hour = NOW_MS + HOUR;
    const unlisted = { instanceState: 'not-listed' } as const;
    const after = (view: TerminationView) => kinds(decideTermination(view, hour).actions);
    expect(after(viewOf([pod('a')], unlisted))).toEqual(['evict-pod']);
    expect(after(viewOf([pod('a')], { ...unlisted, node: aNode({ ready: false }) }))).toEqual(['release-node-claim']);
    const accepted = { deletion: deletion({ terminateRequestedAtMs: hour }) };
    expect(after(viewOf([pod('a')], unlisted, accepted))).toEqual(['release-node-claim']);
  });

  test('a new instance that EC2 shows as terminated does not delay the release of its claim', () => {
    const view = terminationView({ record: launchedClaim({ deletion: deletion() }), instanceState: 'terminated' });
    expect(kinds(decideTermination(view, NOW_MS + SECOND).actions)).toEqual(['release-node-claim']);
  });

  test('a released claim is ignored', () => {
    const view = viewOf([], {}, { releasedAtMs: NOW_MS });
    expect(decideTermination(view, NOW_MS)).toMatchObject({ actions: [], due: [] });
  });
});

describe('an instance that has lost its tags (promise 4)', () => {
  const drained = { drainStartedAtMs: NOW_MS - MINUTE };
  const untagged = { untagged: true } as const;

  test('is not terminated, and its claim is kept and says what to do', () => {
    const verdict = decideTermination(viewOf([], untagged, { deletion: deletion(drained) }), NOW_MS);
    expect(verdict).toMatchObject({ actions: [], news: verdict.blocked, due: [{ atMs: NOW_MS + MINUTE }] });
    expect(verdict.blocked).toMatchObject([
      {
        subject: { kind: 'NodeClaim', name: 'general-1' },
        reason: 'InstanceNotTagged',
        message:
          'instance i-1 runs without the tags of its NodeClaim, so Kerf does not change or terminate it: add the tags kubernetes.io/cluster/demo=owned, eks:eks-cluster-name=demo, karpenter.sh/nodeclaim=general-1, or terminate the instance',
      },
    ]);
    const next = decideTermination({ ...viewOf([], untagged), record: verdict.record }, NOW_MS + MINUTE);
    expect(next.record).toBe(verdict.record);
    expect(next).not.toHaveProperty('news');
    expect(next.blocked).toHaveLength(1);
  });

  test('is drained', () => {
    expect(evicted(decideTermination(viewOf([pod('web')], untagged), NOW_MS))).toEqual(['web']);
  });

  test('is terminated after it has its tags again', () => {
    const { record } = decideTermination(viewOf([], untagged, { deletion: deletion(drained) }), NOW_MS);
    const verdict = decideTermination({ ...viewOf(), record }, NOW_MS + MINUTE);
    expect(kinds(verdict.actions)).toEqual(['terminate-instance']);
    const times = { drainOverAtMs: NOW_MS, terminateRequestedAtMs: NOW_MS + MINUTE };
    expect(verdict.whenDone?.deletion).toEqual(deletion({ ...drained, ...times }));
  });

  test.each(['alive', 'shutting-down'] as const)(
    'a request before the loss does not count, and the instance terminates after it has its tags again: %s',
    (instanceState) => {
      const requested = deletion({ ...drained, terminateRequestedAtMs: NOW_MS - SECOND });
      const { record } = decideTermination(viewOf([], untagged, { deletion: requested }), NOW_MS);
      expect(record.deletion).not.toHaveProperty('terminateRequestedAtMs');
      // A version of Kerf kept the request.
      const kept = { ...record, deletion: { ...requested, ...record.deletion } };
      for (const before of [record, kept]) {
        const { record: now, whenDone = now } = decideTermination(
          viewOf([], { instanceState }, before),
          NOW_MS + MINUTE,
        );
        const times = { drainOverAtMs: NOW_MS - SECOND, terminateRequestedAtMs: NOW_MS + MINUTE };
        expect(whenDone.deletion).toEqual(deletion({ ...drained, ...times }));
      }
    },
  );

  test('is waited for if it is new, because EC2 may return it before its tags', () => {
    const over = { createdAtMs: NOW_MS, deletion: deletion(drained) };
    const record = launchedClaim({ ...over, launch: { ...launchedClaim().launch } });
    const verdict = decideTermination(
      terminationView({ record, instanceState: 'alive', ...untagged }),
      NOW_MS + SECOND,
    );
    expect(verdict).toMatchObject({ record, actions: [], blocked: [], due: [{ atMs: NOW_MS + 3 * MINUTE }] });
  });
});

describe('during a zonal shift (C36)', () => {
  const drained = { drainStartedAtMs: NOW_MS - MINUTE };

  test('the instance is not terminated', () => {
    const verdict = decideTermination(viewOf([], { zoneShifted: true }, { deletion: deletion(drained) }), NOW_MS);
    expect(verdict.actions).toEqual([]);
    expect(verdict.due).toEqual([{ atMs: NOW_MS + MINUTE, kind: 'tick' }]);
    expect(verdict.record.deletion?.terminateRequestedAtMs).toBeUndefined();
    const after = decideTermination(viewOf([], {}, { deletion: deletion(drained) }), NOW_MS);
    expect(kinds(after.actions)).toEqual(['terminate-instance']);
  });

  test('pods are still evicted', () => {
    expect(evicted(decideTermination(viewOf([pod('web')], { zoneShifted: true }), NOW_MS))).toEqual(['web']);
  });
});
