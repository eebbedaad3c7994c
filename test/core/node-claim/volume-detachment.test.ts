import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { VolumeAttachment } from '../../../lib/apis/storage.ts';
import type { Deletion } from '../../../lib/core/model/node-claim-record.ts';
import { conditionsOf } from '../../../lib/core/node-claim/mirror/mirror-conditions.ts';
import { decideTermination, type TerminationView } from '../../../lib/core/node-claim/termination.ts';
import {
  attachedVolumes,
  awaitsVolumes,
  keptWithVolumes,
  type NodeVolumes,
  readsVolumes,
} from '../../../lib/core/node-claim/volume-detachment.ts';
import { terminationView, UNREAD } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode, CORDONED } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { aVolumeClaim } from '../../builders/storage.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

function podWith(claim: string, over: PodOptions = {}): Pod {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: claim } }];
  return runningPod('node-1', { name: claim, ...over, spec: { nodeName: 'node-1', volumes, ...over.spec } });
}

function attached(volume: string | undefined, nodeName = 'node-1'): VolumeAttachment {
  const source = volume === undefined ? {} : { persistentVolumeName: volume };
  return { metadata: { name: `csi-${volume}-${nodeName}` }, spec: { nodeName, source } };
}

const PLAIN = runningPod('node-1', { name: 'plain' });
const TOLERANT = { spec: { tolerations: [{ operator: 'Exists' }] } } as const;

/** A registered claim whose drain began a minute ago. */
function recordWith(deletion: Partial<Deletion> = {}) {
  return launchedClaim({
    createdAtMs: NOW_MS - HOUR,
    nodeName: 'node-1',
    registeredAtMs: NOW_MS - HOUR,
    deletion: {
      reason: 'empty',
      message: '',
      requestedAtMs: NOW_MS - MINUTE,
      drainStartedAtMs: NOW_MS - MINUTE,
      volumes: true,
      ...deletion,
    },
  });
}

function verdictOn(over: Partial<Parameters<typeof terminationView>[0]>, nowMs = NOW_MS) {
  const node = aNode(CORDONED);
  return decideTermination(terminationView({ record: recordWith(), node, instanceState: 'alive', ...over }), nowMs);
}

const TWO = { kind: 'known', attached: ['pv-1', 'pv-2'] } as const;

describe('D25: the instance is terminated after the volumes of its drained pods are detached', () => {
  test('until then it stays, with a refusal, and is reconciled again in 5 s', () => {
    const verdict = verdictOn({ volumes: TWO });
    expect(verdict).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 5 * SECOND, kind: 'settling' }] });
    expect(verdict.record.deletion?.volumesAwaitedSinceMs).toBe(NOW_MS);
    expect(verdict.blocked).toEqual([
      {
        subject: { kind: 'Node', name: 'node-1' },
        nodePool: 'general',
        reason: 'AwaitingVolumeDetachment',
        message: '2 volumes not detached yet (pv-1, pv-2): the instance is terminated afterwards',
        numbers: { volumes: 2 },
      },
    ]);
  });

  test('the refusal is news once', () => {
    const first = verdictOn({ volumes: TWO });
    expect(first.news).toEqual(first.blocked);
    const second = verdictOn({ volumes: TWO, record: first.record });
    expect(second).toMatchObject({ blocked: first.blocked, record: first.record });
    expect(second.news).toBeUndefined();
  });

  test('a message names three volumes at most, and the deadline', () => {
    const volumes = { kind: 'known', attached: ['a', 'b', 'c', 'd'] } as const;
    const record = recordWith({ deadlineMs: NOW_MS + HOUR });
    expect(verdictOn({ volumes, record }).blocked[0]?.message).toBe(
      '4 volumes not detached yet (a, b, c, …): the instance is terminated afterwards, at the latest at 2026-01-31T09:00:00Z',
    );
  });

  test('it is reconciled at the deadline', () => {
    const record = recordWith({ deadlineMs: NOW_MS + 2 * SECOND });
    expect(verdictOn({ volumes: TWO, record }).due).toEqual([{ atMs: NOW_MS + 2 * SECOND, kind: 'settling' }]);
  });

  test.each<[string, Pick<TerminationView, 'volumes'>]>([
    ['all volumes are detached', { volumes: { kind: 'known', attached: [] } }],
    ['its volumes were not read', {}],
  ])('it is terminated if %s', (_, over) => {
    expect(verdictOn(over)).toMatchObject({ actions: [{ kind: 'terminate-instance' }], blocked: [] });
  });

  test('it stays while its VolumeAttachments cannot be read, at most until the deadline', () => {
    const record = recordWith({ deadlineMs: NOW_MS + 2 * SECOND });
    expect(verdictOn({ volumes: UNREAD, record })).toMatchObject({
      actions: [],
      blocked: [{ subject: { kind: 'Node', name: 'node-1' }, reason: 'NotRead' }],
      due: [{ atMs: NOW_MS + 2 * SECOND }],
    });
  });

  test('it stays for six minutes at most while they cannot be read, and its refusal is news once', () => {
    const first = verdictOn({ volumes: UNREAD });
    expect(first.news).toEqual(first.blocked);
    expect(first.blocked[0]?.message).toMatch(/or at 2026-01-31T08:06:00Z if they still cannot be read$/);
    const after = (ms: number, record = first.record, volumes: NodeVolumes = UNREAD) =>
      verdictOn({ volumes, record }, NOW_MS + ms);
    const waiting = after(6 * MINUTE - SECOND);
    expect(waiting).toMatchObject({ actions: [], record: first.record });
    expect(waiting).not.toHaveProperty('news');
    expect(after(6 * MINUTE)).toMatchObject({
      actions: [{ kind: 'terminate-instance' }],
      blocked: [{ reason: 'VolumesUnknown', message: expect.stringMatching(/could not be read for 6 minutes/) }],
    });
    // The time begins again when they have been read.
    const { record } = after(5 * MINUTE, first.record, TWO);
    expect(record.deletion).not.toHaveProperty('volumesUnreadSinceMs');
    const again = after(5 * MINUTE + SECOND, record);
    expect(after(6 * MINUTE, again.record).actions).toEqual([]);
    // A poll that does not read them keeps it.
    expect(after(5 * MINUTE, first.record, { kind: 'awaited' }).record).toBe(first.record);
  });

  test('it is terminated, with a refusal, if the API server refuses to list VolumeAttachments', () => {
    expect(verdictOn({ volumes: { kind: 'unknown', message: 'forbidden' } })).toMatchObject({
      actions: [{ kind: 'terminate-instance' }],
      blocked: [{ subject: { kind: 'Node', name: 'node-1' }, reason: 'VolumesUnknown', message: 'forbidden' }],
    });
  });
});

describe('D25: VolumeAttachments are read', () => {
  test.each<[string, Partial<Deletion>, readonly Pod[], boolean]>([
    ['after the pods with volumes are gone', {}, [], true],
    ['not while a pod is drained', {}, [PLAIN], false],
    ['if only pods are left that are not drained', {}, [podWith('data', TOLERANT)], true],
    ['before the deadline', { deadlineMs: NOW_MS + SECOND }, [], true],
    ['not after the deadline', { deadlineMs: NOW_MS }, [], false],
    ['not after termination was requested', { terminateRequestedAtMs: NOW_MS }, [], false],
  ])('%s', (...[, deletion, pods, expected]) => {
    expect(awaitsVolumes(recordWith(deletion), pods, NOW_MS)).toBe(expected);
  });

  test('not if no drained pod had a volume', () => {
    const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, drainStartedAtMs: NOW_MS } as const;
    expect(awaitsVolumes(launchedClaim({ deletion }), [], NOW_MS)).toBe(false);
  });
});

describe('D25: a wait of more than a minute reads VolumeAttachments once a minute', () => {
  test.each([
    ['before the wait', undefined, 30 * SECOND, true],
    ['in its first minute', NOW_MS, 55 * SECOND, true],
    ['then in the first poll of a minute', NOW_MS, 5 * MINUTE, true],
    ['also if the poll is 19 s late', NOW_MS, 5 * MINUTE + 19 * SECOND, true],
    ['and in no other poll', NOW_MS, 5 * MINUTE + 20 * SECOND, false],
  ])('%s', (...[, volumesAwaitedSinceMs, afterMs, expected]) => {
    const record = recordWith(volumesAwaitedSinceMs === undefined ? {} : { volumesAwaitedSinceMs });
    expect(readsVolumes(record, NOW_MS + afterMs)).toBe(expected);
  });

  test.each([0, 3, 7, 15])('and is reconciled only to read them, with wakes that are %i s late', (late) => {
    let nowMs = NOW_MS + 17 * SECOND;
    let { record } = verdictOn({ volumes: TWO }, nowMs);
    const skipped: number[] = [];
    let runs = 0;
    while (nowMs < NOW_MS + HOUR) {
      const isRead = readsVolumes(record, nowMs);
      if (!isRead) skipped.push(nowMs);
      const verdict = verdictOn({ record, volumes: isRead ? TWO : { kind: 'awaited' } }, nowMs);
      ({ record } = verdict);
      nowMs = Math.min(...verdict.due.map(({ atMs }) => atMs)) + late * SECOND;
      runs += 1;
    }
    expect(skipped).toEqual([]);
    expect(runs).toBeLessThanOrEqual(12 + 59);
  });

  test('a run for another reason that does not read them waits for the next minute', () => {
    const record = recordWith({ volumesAwaitedSinceMs: NOW_MS - HOUR });
    const { due } = verdictOn({ record, volumes: { kind: 'awaited' } }, NOW_MS + 25 * SECOND);
    expect(due).toEqual([{ atMs: NOW_MS + MINUTE, kind: 'settling' }]);
  });

  test('between two reads the instance stays, and the deadline holds', () => {
    const record = recordWith({ volumesAwaitedSinceMs: NOW_MS - HOUR, deadlineMs: NOW_MS + 3 * SECOND });
    const verdict = verdictOn({ record, volumes: { kind: 'awaited' } });
    expect(verdict).toEqual({
      record,
      actions: [],
      blocked: [],
      due: [{ atMs: NOW_MS + 3 * SECOND, kind: 'settling' }],
    });
  });
});

describe('D25: pods that are bound to a node that waits for volumes begin the wait anew', () => {
  const waiting = { volumesAwaitedSinceMs: NOW_MS - HOUR, volumesUnreadSinceMs: NOW_MS - HOUR };

  test('when they are gone, the volumes are read in each run of the first minute', () => {
    const { record } = verdictOn({ record: recordWith(waiting), pods: [podWith('late')] });
    expect(record).toEqual(recordWith());
    expect(readsVolumes(record, NOW_MS + 35 * SECOND)).toBe(true);
  });

  test.each([
    ['no pods', { kind: 'read', value: [] }],
    ['pods that stay', { kind: 'read', value: [runningPod('node-1', TOLERANT)] }],
    ['pods that cannot be read', UNREAD],
  ] as const)('%s do not', (_, pods) => {
    const record = recordWith({ volumesAwaitedSinceMs: NOW_MS - HOUR });
    const seen = terminationView({
      record,
      node: aNode(CORDONED),
      instanceState: 'alive',
      volumes: { kind: 'awaited' },
    });
    expect(decideTermination({ ...seen, pods }, NOW_MS).record).toEqual(record);
  });
});

describe('D25: the record of a drain has whether its pods had volumes', () => {
  const begun = (pods: readonly Pod[], over: Partial<Deletion> = {}, node = aNode()): Deletion | undefined => {
    const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, ...over } as const;
    return verdictOn({ pods, node, record: { ...recordWith(), deletion } }).record.deletion;
  };

  test.each<[string, readonly Pod[], true | undefined]>([
    ['a pod with a PersistentVolumeClaim', [PLAIN, podWith('data')], true],
    [
      'a pod with an ephemeral volume',
      [runningPod('node-1', { spec: { nodeName: 'node-1', volumes: [{ name: 'tmp', ephemeral: {} }] } })],
      true,
    ],
    ['a pod that is not drained', [PLAIN, podWith('data', TOLERANT)], undefined],
    [
      'a pod with another volume',
      [runningPod('node-1', { spec: { nodeName: 'node-1', volumes: [{ name: 'config' }] } })],
      undefined,
    ],
  ])('%s', (_, pods, expected) => {
    expect(begun(pods)).toMatchObject({ drainStartedAtMs: NOW_MS });
    expect(begun(pods)?.volumes).toBe(expected);
  });

  test('a node that is cordoned already may have had pods with volumes: the record of their drain was lost', () => {
    expect(begun([], {}, aNode(CORDONED))).toMatchObject({ drainStartedAtMs: NOW_MS, volumes: true });
  });

  test('a pod that is bound after the begin of the drain counts', () => {
    expect(begun([podWith('data')], { drainStartedAtMs: NOW_MS - MINUTE })).toMatchObject({
      drainStartedAtMs: NOW_MS - MINUTE,
      volumes: true,
    });
  });
});

test('D25: only volumes of this node count, and not those of pods that run on it until it is deleted', () => {
  const pods = [podWith('kept', TOLERANT), PLAIN, podWith('b', { name: 'completed', status: { phase: 'Succeeded' } })];
  const claims = [
    aVolumeClaim({ name: 'kept', volume: 'pv-kept' }),
    aVolumeClaim({ name: 'b', volume: 'pv-b' }),
    aVolumeClaim({ name: 'kept', namespace: 'other', volume: 'pv-other' }),
  ];
  const attachments = [
    attached('pv-other'),
    attached('pv-kept'),
    attached('pv-b'),
    attached('pv-a'),
    attached('pv-c', 'node-2'),
    attached(undefined),
  ];
  const kept = { pods: keptWithVolumes(pods, NOW_MS), claims };
  expect(kept.pods.map(({ metadata }) => metadata.name)).toEqual(['kept']);
  expect(attachedVolumes(aNode(), attachments, kept)).toEqual(['pv-a', 'pv-b', 'pv-other']);
});

describe('D25: the condition VolumesDetached of the NodeClaim', () => {
  const conditionOf = (deletion: Partial<Deletion>, type: string) =>
    conditionsOf(recordWith(deletion), {}).find((condition) => condition.type === type);

  test.each<[string, Partial<Deletion>, object | undefined]>([
    ['is absent without a wait', { terminateRequestedAtMs: NOW_MS }, undefined],
    [
      'is Unknown during it',
      { volumesAwaitedSinceMs: NOW_MS },
      { status: 'Unknown', reason: 'AwaitingVolumeDetachment' },
    ],
    ['is True after it', { volumesAwaitedSinceMs: NOW_MS, terminateRequestedAtMs: NOW_MS }, { status: 'True' }],
    [
      'is False if the deadline ended it',
      { volumesAwaitedSinceMs: NOW_MS - HOUR, terminateRequestedAtMs: NOW_MS, deadlineMs: NOW_MS },
      { status: 'False', reason: 'TerminationGracePeriodElapsed' },
    ],
  ])('%s', (_, deletion, expected) => {
    const found = conditionOf(deletion, 'VolumesDetached');
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  test('Drained is True when the wait begins', () => {
    expect(conditionOf({ volumesAwaitedSinceMs: NOW_MS }, 'Drained')).toMatchObject({ status: 'True' });
  });
});
