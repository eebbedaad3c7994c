import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import {
  decideTermination,
  type TerminationVerdict,
  type TerminationView,
} from '../../../lib/core/node-claim/termination.ts';
import { aClaim, aLaunchRequest, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const;

function deletion(over: Partial<Deletion> = {}): Deletion {
  return { reason: 'empty', message: '', requestedAtMs: NOW_MS, ...over };
}

/** A registered claim an hour old that is being deleted, its node cordoned and its instance alive. */
function viewOf(
  pods: readonly Pod[] = [],
  over: Partial<Omit<TerminationView, 'record'>> = {},
  record: Partial<NodeClaimRecord> = {},
): TerminationView {
  return {
    record: launchedClaim({
      createdAtMs: NOW_MS - HOUR,
      nodeName: 'node-1',
      registeredAtMs: NOW_MS - HOUR,
      deletion: deletion(),
      ...record,
    }),
    node: aNode({ taints: [DISRUPTED] }),
    pods,
    instanceState: 'alive',
    ...over,
  };
}

function pod(name: string, over: PodOptions = {}): Pod {
  return runningPod('node-1', { name, ...over });
}

/** The names of the pods that are evicted, those that are forced out with the seconds they have left. */
function evicted({ actions }: TerminationVerdict): readonly string[] {
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
  test('begins with the cordon, that balancers see too (D19)', () => {
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

  test('a cordoned node is not cordoned again', () => {
    expect(kinds(decideTermination(viewOf([pod('a')]), NOW_MS).actions)).toEqual(['evict-pod']);
  });

  test('goes tier by tier: plain pods, daemons, critical pods, critical daemons (D20)', () => {
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

  test('a numeric priority makes no pod critical (D20)', () => {
    const pods = [pod('a', { spec: { nodeName: 'node-1', priority: 2_000_000_000 } }), pod('b')];
    expect(evicted(decideTermination(viewOf(pods), NOW_MS))).toEqual(['a', 'b']);
  });

  test('the next tier waits until the pods of this one are gone, not only asked to go (D20)', () => {
    const pods = [pod('plain', { deletionMs: NOW_MS + MINUTE }), pod('daemon', { owner: 'DaemonSet' })];
    expect(evicted(decideTermination(viewOf(pods), NOW_MS))).toEqual([]);
  });

  test('names exactly this pod, so that its successor is not meant (D23)', () => {
    expect(decideTermination(viewOf([pod('a')]), NOW_MS).actions).toEqual([
      { kind: 'evict-pod', nodeClaim: 'general-1', pod: { namespace: 'default', name: 'a', uid: 'uid-default-a' } },
    ]);
  });

  test('waits for pods that are ending, and looks again in 5 s (D23)', () => {
    const verdict = decideTermination(viewOf([pod('a', { deletionMs: NOW_MS + MINUTE })]), NOW_MS + HOUR / 2);
    expect(evicted(verdict)).toEqual([]);
    const young = decideTermination(viewOf([pod('a', { deletionMs: NOW_MS + MINUTE })]), NOW_MS);
    expect(young).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND }] });
  });

  test.each<[string, PodOptions]>([
    ['that have ended', { status: { phase: 'Succeeded' } }],
    ['that their node made', { owner: 'Node' }],
    ['that tolerate the disruption', { spec: { nodeName: 'node-1', tolerations: [{ operator: 'Exists' }] } }],
    ['that should have ended a minute ago', { deletionMs: NOW_MS - 61 * SECOND }],
  ])('does not wait for pods %s (D21)', (_, over) => {
    const record = { deletion: deletion({ drainStartedAtMs: NOW_MS - MINUTE }) };
    expect(kinds(decideTermination(viewOf([pod('a', over)], {}, record), NOW_MS).actions)).toEqual([
      'terminate-instance',
    ]);
  });

  test('do-not-disrupt holds the drain, and says so (D23)', () => {
    const held = pod('held', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const verdict = decideTermination(viewOf([held, pod('other')]), NOW_MS);
    expect(evicted(verdict)).toEqual(['other']);
    expect(verdict.blocked).toMatchObject([
      { subject: { kind: 'Pod', namespace: 'default', name: 'held' }, reason: 'DoNotDisrupt' },
    ]);
    expect(kinds(decideTermination(viewOf([held]), NOW_MS + HOUR).actions)).toEqual([]);
  });

  test('a pod that is held holds the daemons back too (D20)', () => {
    const held = pod('held', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    expect(evicted(decideTermination(viewOf([held, pod('daemon', { owner: 'DaemonSet' })]), NOW_MS))).toEqual([]);
  });

  test('takes 5 s at the least, for pods that come late (D22)', () => {
    const early = decideTermination(viewOf([]), NOW_MS);
    expect(early).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND, kind: 'settling' }] });
    expect(early.record.deletion?.drainStartedAtMs).toBe(NOW_MS);
    const late = decideTermination({ ...viewOf([]), record: early.record }, NOW_MS + 5 * SECOND);
    expect(kinds(late.actions)).toEqual(['terminate-instance']);
    expect(late.record.deletion?.terminateRequestedAtMs).toBe(NOW_MS + 5 * SECOND);
  });
});

describe('with a deadline pods are forced out in time to use their grace period (D24)', () => {
  const until = (ms: number) => ({ deletion: deletion({ deadlineMs: NOW_MS + ms }) });
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };

  test.each<[string, PodOptions, number, readonly string[]]>([
    ['there is time: it is asked', graceful(60), 61 * SECOND, ['a']],
    ['its grace would end at the deadline: it is forced', graceful(60), 60 * SECOND, ['a!60']],
    ['30 s is the default grace', {}, 30 * SECOND, ['a!30']],
    ['the deadline has passed: a second is left', {}, -MINUTE, ['a!1']],
    ['do-not-disrupt does not count any more', { annotations }, 10 * SECOND, ['a!10']],
    ['do-not-disrupt counts until then', { annotations }, 31 * SECOND, []],
    ['what ends before the deadline is let be', { deletionMs: NOW_MS + 9 * SECOND }, 10 * SECOND, []],
    ['what would end after the deadline is forced again', { deletionMs: NOW_MS + HOUR }, 10 * SECOND, ['a!10']],
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

  test('without a deadline nobody is forced', () => {
    expect(evicted(decideTermination(viewOf([pod('a')]), NOW_MS + 999 * HOUR))).toEqual(['a']);
  });
});

describe('the end', () => {
  test('a claim that is not being deleted is let be', () => {
    expect(decideTermination({ record: launchedClaim(), pods: [] }, NOW_MS)).toMatchObject({ actions: [], due: [] });
  });

  test('a launch whose outcome is unknown is settled first (D36)', () => {
    const launch = { kind: 'requested', attempt: 1, request: aLaunchRequest(), atMs: NOW_MS } as const;
    const view = { record: aClaim({ launch, deletion: deletion() }), pods: [] };
    expect(decideTermination(view, NOW_MS)).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND }] });
  });

  test('a claim that was never launched is released at once', () => {
    expect(decideTermination({ record: aClaim({ deletion: deletion() }), pods: [] }, NOW_MS).actions).toEqual([
      { kind: 'release-node-claim', nodeClaim: 'general-1', atMs: NOW_MS },
    ]);
  });

  test('an instance that never registered is terminated without a drain (D27)', () => {
    const record = launchedClaim({ deletion: deletion() });
    const view: TerminationView = { record, node: aNode(), pods: [pod('a')], instanceState: 'alive' };
    expect(decideTermination(view, NOW_MS)).toMatchObject({
      actions: [{ kind: 'terminate-instance', instanceId: 'i-1' }],
      due: [{ atMs: NOW_MS + 5 * SECOND }],
    });
  });

  test('an instance that is shutting down is waited for (D26)', () => {
    const verdict = decideTermination(viewOf([pod('a')], { instanceState: 'shutting-down' }), NOW_MS);
    expect(verdict).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND }] });
  });

  test('when the instance is gone the node and the claim are, with their other finalizers kept (D26)', () => {
    const { instanceState: _, ...view } = viewOf([pod('a')], {
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

  test('an instance too young to be listed is not taken for gone', () => {
    const view = { record: launchedClaim({ deletion: deletion() }), pods: [] };
    expect(decideTermination(view, NOW_MS + 59 * SECOND)).toMatchObject({
      actions: [],
      due: [{ atMs: NOW_MS + MINUTE }],
    });
    expect(kinds(decideTermination(view, NOW_MS + MINUTE).actions)).toEqual(['release-node-claim']);
  });

  test('a released claim is done with', () => {
    const view = viewOf([], {}, { releasedAtMs: NOW_MS });
    expect(decideTermination(view, NOW_MS)).toMatchObject({ actions: [], due: [] });
  });
});

describe('in a zone that the cluster is shifted away from (C36)', () => {
  const drained = { drainStartedAtMs: NOW_MS - MINUTE };

  test('the instance is left until the shift is over', () => {
    const verdict = decideTermination(viewOf([], { zoneShifted: true }, { deletion: deletion(drained) }), NOW_MS);
    expect(verdict.actions).toEqual([]);
    expect(verdict.due).toEqual([{ atMs: NOW_MS + MINUTE, kind: 'settling' }]);
    expect(verdict.record.deletion?.terminateRequestedAtMs).toBeUndefined();
    const after = decideTermination(viewOf([], {}, { deletion: deletion(drained) }), NOW_MS);
    expect(kinds(after.actions)).toEqual(['terminate-instance']);
  });

  test('pods still leave the node', () => {
    expect(evicted(decideTermination(viewOf([pod('web')], { zoneShifted: true }), NOW_MS))).toEqual(['web']);
  });
});
