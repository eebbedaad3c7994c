import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { whyPod } from '../../../lib/core/explain/why-pod.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aBudget } from '../../builders/nodes.ts';
import { aPod, pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function why(pod: Pod, snapshot: ClusterSnapshot = aSnapshot()) {
  const { state, summary, reasons } = whyPod({ ...snapshot, pods: [...snapshot.pods, pod] }, pod, NOW_MS);
  return { state, summary, reasons: reasons.map(({ reason }) => reason) };
}

const DELETION = { reason: 'expired', message: 'older than 720h', requestedAtMs: NOW_MS - MINUTE } as const;
const DRAINED = snapshotOf([initializedNode({ name: 'node-1' }, { deletion: DELETION })]);

describe('a pod without a node', () => {
  test.each([
    [
      'the kube-scheduler has not looked at it',
      aPod(),
      [
        'NotPending',
        'the kube-scheduler has not marked it as unschedulable: it has no condition PodScheduled, so Kerf launches no node for it yet',
      ],
    ],
    [
      'it has scheduling gates',
      aPod({ spec: { schedulingGates: [{ name: 'example.com/quota' }] } }),
      ['NotPending', 'its scheduling gates are not removed yet: example.com/quota'],
    ],
    [
      'the kube-scheduler preempts other pods for it',
      { ...pendingPod(), status: { ...pendingPod().status, nominatedNodeName: 'node-9' } },
      ['NotPending', 'the kube-scheduler ends other pods on node node-9 for it'],
    ],
    [
      'it belongs to a DaemonSet',
      pendingPod({ owner: 'DaemonSet' }),
      ['Ignored', 'it belongs to a DaemonSet: it runs on nodes that exist, and no node is launched for it'],
    ],
  ] as const)('%s', (_, pod, [state, summary]) => {
    expect(why(pod)).toEqual({ state, summary, reasons: [] });
  });

  test('needs a node that is not launched yet', () => {
    const { state, summary } = why(pendingPod(), aSnapshot({ pods: [pendingPod({ name: 'web-2' })] }));
    expect(state).toBe('NeedsNode');
    expect(summary).toMatch(
      /^a node would be launched for it and 1 other pod: \S+ \(\S+, eu-west-3.\) of NodePool general at \$0\.\d+\/h$/,
    );
  });

  test('has room on a node', () => {
    expect(why(pendingPod(), snapshotOf([initializedNode({ name: 'node-1' })]))).toEqual({
      state: 'HasPlace',
      summary: 'it has room on node node-1',
      reasons: [],
    });
  });

  test('has a place on a node that is launched', () => {
    const snapshot = aSnapshot({ nodeClaims: [launchedClaim({ name: 'general-a' })] });
    expect(why(pendingPod(), snapshot).summary).toBe('it has a place on NodeClaim general-a, which is being launched');
  });

  test('has a reason for each NodePool, and one for the nodes that exist', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'node-1' })], {
      nodePools: [aPoolView({ name: 'general' }), aPoolView({ name: 'other' })],
    });
    const huge = pendingPod({ requests: { cpu: '5000' } });
    const { state, reasons } = why(huge, snapshot);
    expect({ state, reasons }).toEqual({
      state: 'Unschedulable',
      reasons: ['NoNode', 'InsufficientResources', 'InsufficientResources'],
    });
  });
});

describe('a pod with a node', () => {
  test.each([
    ['has a node that stays', runningPod('node-1'), ['Bound']],
    [
      'keeps its node by an annotation',
      runningPod('node-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      ['Bound', 'DoNotDisrupt'],
    ],
    ['ends', runningPod('node-1', { deletionMs: NOW_MS }), ['Terminating']],
    ['has ended', { ...runningPod('node-1'), status: { phase: 'Failed' } }, ['Ended']],
  ] as const)('%s', (_, pod, expected) => {
    const told = why(pod, snapshotOf([initializedNode({ name: 'node-1' })]));
    expect([told.state, ...told.reasons]).toEqual(expected);
  });

  test('is evicted when its node is removed, and gets another one', () => {
    const { state, summary, reasons } = why(runningPod('node-1'), DRAINED);
    expect({ state, reasons }).toEqual({ state: 'Draining', reasons: [] });
    expect(summary).toMatch(/^its node is being removed \(older than 720h\): it is evicted; a node would be launched/);
  });

  test.each([
    ['DoNotDisrupt', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }, []],
    ['PDB', { labels: { app: 'web' } }, [aBudget()]],
    [
      'PDBNeverMet',
      { labels: { app: 'web' } },
      [aBudget({ spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } })],
    ],
  ] as const)('is not evicted now: %s', (reason, options, podDisruptionBudgets) => {
    const told = why(runningPod('node-1', options), { ...DRAINED, podDisruptionBudgets });
    expect(told.summary).toContain('it is not evicted now');
    expect(told.reasons[0]).toBe(reason);
  });

  test.each([
    ['true', 'until the deadline of its node'],
    ['10m', `until ${formatTime(NOW_MS + 6 * MINUTE)} or the deadline of its node`],
  ])('is not evicted before the time of its annotation: do-not-disrupt %s', (value, until) => {
    const pod = runningPod('node-1', { annotations: { 'karpenter.sh/do-not-disrupt': value } });
    const started = { ...pod, status: { ...pod.status, startTime: formatTime(NOW_MS - 4 * MINUTE) } };
    const { reasons } = whyPod({ ...DRAINED, pods: [started] }, started, NOW_MS);
    expect(reasons[0]?.message).toBe(
      `it has the annotation karpenter.sh/do-not-disrupt, so it stays ${until}, if there is one`,
    );
  });

  test.each([[undefined], [NOW_MS]])(
    'is evicted after the ordinary pods of the node have gone, if it is critical (D20)',
    (deletionMs) => {
      const critical = runningPod('node-1', { name: 'dns', spec: { priorityClassName: 'system-cluster-critical' } });
      const ordinary = runningPod('node-1', { ...(deletionMs !== undefined && { deletionMs }) });
      const { summary, reasons } = whyPod({ ...DRAINED, pods: [critical, ordinary] }, critical, NOW_MS);
      expect(summary).toContain('is evicted after other pods of the node have gone (default/web-1); ');
      expect(reasons).toEqual([]);
    },
  );

  test('is not evicted now, because the drain waits for a pod that it evicts before', () => {
    const critical = runningPod('node-1', { name: 'dns', spec: { priorityClassName: 'system-cluster-critical' } });
    const kept = runningPod('node-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const told = whyPod({ ...DRAINED, pods: [critical, kept] }, critical, NOW_MS);
    expect(told.summary).toContain('it is not evicted now');
    expect(told.reasons[0]).toEqual(
      expect.objectContaining({
        reason: 'DoNotDisrupt',
        message: expect.stringMatching(/^it is evicted after pod default\/web-1: it has the annotation/),
      }),
    );
  });
});
