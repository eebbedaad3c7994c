import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { UnusedLaunches } from '../../../lib/core/model/provisioning/unused-launches.ts';
import { launchBrake } from '../../../lib/core/provisioning/launch-brake.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { packBody } from '../../../lib/providers/dynamodb/body.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

/** A pod that was created five hours ago. */
const POD = pendingPod({ createdAtMs: NOW_MS - 5 * HOUR });
const UID = 'uid-default-web-1';

/** A NodeClaim for the pod whose node became ready half a minute after it was created. */
function aLaunch(createdAtMs: number, over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  const name = `general-${createdAtMs}`;
  return launchedClaim({ name, createdAtMs, pods: ['default/web-1'], initializedAtMs: createdAtMs + 30_000, ...over });
}

/** The last of these launches for the pod is this long ago. */
function unused(launches: number, agoMs: number, pod = UID): UnusedLaunches {
  return { pod, launches, firstMs: NOW_MS - 3 * HOUR, lastMs: NOW_MS - agoMs };
}

function counted(over: Partial<ClusterSnapshot>): readonly UnusedLaunches[] | undefined {
  return launchBrake(aSnapshot({ pods: [POD], ...over }), NOW_MS).counted;
}

function decide(over: Partial<ClusterSnapshot>) {
  return provision(aSnapshot(over), { decisionId: 'decision-1', nowMs: NOW_MS });
}

const removed = (requestedAtMs: number) => ({ deletion: { reason: 'empty', message: '', requestedAtMs } }) as const;

describe('B70: a launch counts', () => {
  const atMs = NOW_MS - 2 * MINUTE;

  test('if the node was ready for ten seconds and the pod has no node, also if the node is being removed', () => {
    const expected = [{ pod: UID, launches: 1, firstMs: atMs, lastMs: atMs }];
    expect(counted({ nodeClaims: [aLaunch(atMs)] })).toEqual(expected);
    expect(counted({ nodeClaims: [aLaunch(atMs, removed(NOW_MS))] })).toEqual(expected);
  });

  test('also if other pods run on the node', () => {
    const nodeClaims = [aLaunch(atMs, { nodeName: 'node-1', pods: ['default/web-1', 'default/web-2'] })];
    const pods = [POD, runningPod('node-1', { name: 'web-2', createdAtMs: NOW_MS - 5 * HOUR })];
    expect(counted({ pods, nodeClaims })).toMatchObject([{ pod: UID, launches: 1 }]);
  });

  test('once, beside those that are counted already', () => {
    const earlier = unused(2, 4 * MINUTE);
    const nodeClaims = [aLaunch(earlier.lastMs), aLaunch(atMs), aLaunch(atMs + 1)];
    const later = { pod: UID, launches: 4, firstMs: earlier.firstMs, lastMs: atMs + 1 };
    expect(counted({ nodeClaims, unusedLaunches: [earlier] })).toEqual([later]);
    expect(counted({ nodeClaims, unusedLaunches: [later] })).toBeUndefined();
  });

  const { initializedAtMs: _, ...unready } = aLaunch(atMs);
  test.each<{ readonly rule: string; readonly given: Partial<ClusterSnapshot> }>([
    { rule: 'its node is not ready', given: { nodeClaims: [unready] } },
    { rule: 'it failed', given: { nodeClaims: [{ ...unready, ...removed(NOW_MS) }] } },
    {
      rule: 'its node is ready for less than ten seconds',
      given: { nodeClaims: [aLaunch(atMs, { initializedAtMs: NOW_MS - 10 * SECOND + 1 })] },
    },
    {
      rule: 'its node was lost within ten seconds',
      given: { nodeClaims: [aLaunch(atMs, removed(atMs + 40 * SECOND - 1))] },
    },
    { rule: 'it is older than two hours', given: { nodeClaims: [aLaunch(NOW_MS - 2 * HOUR)] } },
    { rule: 'it was for other pods', given: { nodeClaims: [aLaunch(atMs, { pods: ['default/web-2'] })] } },
    {
      rule: 'it was for an earlier pod of the name',
      given: { pods: [pendingPod({ createdAtMs: NOW_MS })], nodeClaims: [aLaunch(atMs)] },
    },
    {
      rule: 'the pod has a node',
      given: { pods: [runningPod('node-1', { createdAtMs: NOW_MS - 5 * HOUR })], nodeClaims: [aLaunch(atMs)] },
    },
  ])('not if $rule', ({ given }) => {
    expect(counted(given)).toBeUndefined();
  });

  test('for two hours after the last one', () => {
    const nodeClaims = [aLaunch(atMs)];
    expect(counted({ nodeClaims, unusedLaunches: [unused(5, 2 * HOUR - 1)] })).toMatchObject([{ launches: 6 }]);
    expect(counted({ nodeClaims, unusedLaunches: [unused(5, 2 * HOUR)] })).toMatchObject([{ launches: 1 }]);
  });

  test('for the 500 pods with the most launches, which need less than 20 kB', () => {
    const many = Array.from({ length: 600 }, (_one, index) => unused(1 + (index % 12), index * SECOND, randomUUID()));
    const kept = counted({ nodeClaims: [aLaunch(atMs)], unusedLaunches: many }) ?? [];
    expect(kept).toHaveLength(500);
    expect(Math.min(...kept.map(({ launches }) => launches))).toBe(3);
    expect(packBody(kept, 'unused launches').byteLength).toBeLessThan(20_000);
  });
});

describe('B70: after unused launches for a pod', () => {
  test.each([
    { launches: 1, minutes: 0 },
    { launches: 2, minutes: 0 },
    { launches: 3, minutes: 2 },
    { launches: 4, minutes: 4 },
    { launches: 7, minutes: 32 },
    { launches: 8, minutes: 60 },
    { launches: 2_000, minutes: 60 },
  ])('$launches, the next one waits for $minutes minutes', ({ launches, minutes }) => {
    const waitAt = (agoMs: number) =>
      launchBrake(aSnapshot({ unusedLaunches: [unused(launches, agoMs)] }), NOW_MS).waitOf(POD);
    expect(waitAt(minutes * MINUTE)).toBeUndefined();
    expect(waitAt(minutes * MINUTE - 1)?.untilMs).toBe(minutes === 0 ? undefined : NOW_MS + 1);
  });

  test('no other node is launched at once if the node of the last one is ready just now', () => {
    const justNow = aLaunch(NOW_MS - MINUTE, { initializedAtMs: NOW_MS - SECOND });
    const brake = launchBrake(
      aSnapshot({ pods: [POD], nodeClaims: [justNow], unusedLaunches: [unused(2, 4 * MINUTE)] }),
      NOW_MS,
    );
    expect(brake.counted).toBeUndefined();
    expect(brake.waitOf(POD)).toMatchObject({ untilMs: NOW_MS + MINUTE });
  });

  test('a pod with a node does not wait: it is moved', () => {
    const { waitOf } = launchBrake(aSnapshot({ unusedLaunches: [unused(9, MINUTE)] }), NOW_MS);
    expect(waitOf(runningPod('node-1'))).toBeUndefined();
  });
});

describe('B70: while a pod waits for its next node, provisioning', () => {
  const OTHER = pendingPod({ name: 'web-2' });
  const waiting = { unusedLaunches: [unused(4, MINUTE)] };

  test('launches a node for the other pods alone, and gives the reason, the numbers and the time', () => {
    const { actions, blocked, due, schedule } = decide({ pods: [POD, OTHER], ...waiting });
    expect(actions).toMatchObject([{ kind: 'create-node-claim', nodeClaim: { pods: ['default/web-2'] } }]);
    expect(actions).toEqual(decide({ pods: [OTHER] }).actions);
    expect(blocked).toEqual([
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
        reason: 'LaunchesUnused',
        message:
          '4 nodes were launched for it since 2026-01-31T05:00:00Z, and the kube-scheduler has bound it to none of them: the next one is ' +
          'launched after 2026-01-31T08:03:00Z; read in kubectl describe pod why the kube-scheduler refuses the nodes, correct the pod ' +
          'or its NodePool, and delete the pod, because a new pod does not wait',
        numbers: { launches: 4, waitMinutes: 4 },
      },
    ]);
    expect(due).toEqual([{ kind: 'settling', atMs: NOW_MS + 3 * MINUTE }]);
    expect(schedule.unplaced.map(({ pod }) => pod)).toEqual([POD]);
  });

  test('does not refuse the pod while an existing node has room for it, or one starts', () => {
    const node = aNode({ name: 'node-1' });
    expect(decide({ pods: [POD], nodes: [node], ...waiting })).toMatchObject({ blocked: [], due: [] });
    const starting = launchedClaim({ createdAtMs: NOW_MS, pods: ['default/web-1'] });
    expect(decide({ pods: [POD], nodeClaims: [starting], ...waiting })).toMatchObject({ actions: [], blocked: [] });
  });

  test('gives one of two such pods the room of an existing node, and launches no node for the other', () => {
    const half = { requests: { cpu: '1500m' }, createdAtMs: NOW_MS - 5 * HOUR };
    const pods = ['web-1', 'web-2'].map((name) => pendingPod({ ...half, name }));
    const unusedLaunches = pods.map(({ metadata }) => unused(4, MINUTE, metadata.uid));
    const { actions, blocked, schedule } = decide({ pods, nodes: [aNode({ name: 'node-1' })], unusedLaunches });
    expect(schedule.existing.flatMap((one) => one.pods)).toHaveLength(1);
    expect(blocked).toMatchObject([{ reason: 'LaunchesUnused' }]);
    expect(actions.map(({ kind }) => kind)).toEqual(['nominate-node']);
  });
});
