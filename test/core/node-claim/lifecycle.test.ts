import { describe, expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { decideLifecycle, type NodeClaimView } from '../../../lib/core/node-claim/lifecycle.ts';
import { deletionOf, UNREAD, viewOf } from '../../builders/claim-view.ts';
import { aClaim, claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const joined = aNode({ labels: { 'karpenter.sh/registered': 'true' } });

const notReady = aNode({ ready: false, labels: { 'karpenter.sh/registered': 'true' } });
const initialized = aNode({ labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' } });
/** Its next step was tried in the last minute of its time. */
const triedAt = (atMs: number): Partial<NodeClaimRecord> => ({ lastTriesSinceMs: atMs - 45 * SECOND });
const LIMIT = { initializationTimeoutMs: 20 * MINUTE };

/** The node was registered at the launch, and missing for the first time an hour later. */
const LOST = { nodeName: 'node-1', registeredAtMs: NOW_MS, initializedAtMs: NOW_MS, nodeLostAtMs: NOW_MS + HOUR };

describe('deletion', () => {
  const young = aClaim({ launch: { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS } });
  test.each<[string, NodeClaimView, number, string | undefined]>([
    ['not launched for 5 minutes (D8)', viewOf(young), NOW_MS + 5 * MINUTE, 'launch_timeout'],
    ['not tried for 20 minutes (D8)', viewOf(aClaim()), NOW_MS + 20 * MINUTE, 'launch_timeout'],
    ['not registered for 15 minutes (D8)', viewOf(launchedClaim()), NOW_MS + 15 * MINUTE, 'registration_timeout'],
    ['not yet: 14 minutes', viewOf(launchedClaim()), NOW_MS + 14 * MINUTE, undefined],
    [
      'registered in time',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS }), { node: joined }),
      NOW_MS + 15 * MINUTE,
      undefined,
    ],
    [
      'its node exists and its registration is refused (D8)',
      viewOf(launchedClaim(triedAt(NOW_MS + 15 * MINUTE)), { node: aNode() }),
      NOW_MS + 15 * MINUTE,
      'registration_timeout',
    ],
    [
      'its node exists and no registration was tried in the last minute (D1)',
      viewOf(launchedClaim(), { node: aNode() }),
      NOW_MS + HOUR,
      undefined,
    ],
    [
      'its registration was tried before an outage of three minutes (D1)',
      viewOf(launchedClaim(triedAt(NOW_MS + 15 * MINUTE)), { node: aNode() }),
      NOW_MS + 18 * MINUTE,
      undefined,
    ],
    [
      'its registered node has been missing for 15 minutes',
      viewOf(launchedClaim(LOST)),
      NOW_MS + HOUR + 15 * MINUTE,
      'node_lost',
    ],
    [
      'not yet: its node may register again',
      viewOf(launchedClaim(LOST)),
      NOW_MS + HOUR + 15 * MINUTE - SECOND,
      undefined,
    ],
    [
      'a new Node object of its instance has not been registered for 15 minutes',
      viewOf(launchedClaim({ ...LOST, ...triedAt(NOW_MS + HOUR + 15 * MINUTE) }), { node: aNode() }),
      NOW_MS + HOUR + 15 * MINUTE,
      'node_lost',
    ],
    [
      'a new Node object of its instance is there after 15 minutes, and no registration was tried (D1)',
      viewOf(launchedClaim(LOST), { node: aNode() }),
      NOW_MS + 2 * HOUR,
      undefined,
    ],
    [
      'its registered node has returned',
      viewOf(launchedClaim(LOST), { node: joined }),
      NOW_MS + HOUR + 15 * MINUTE,
      undefined,
    ],
    [
      'registered and not initialized within the limit of the cluster',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS + MINUTE, ...triedAt(NOW_MS + 21 * MINUTE) }), {
        node: joined,
        ...LIMIT,
      }),
      NOW_MS + 21 * MINUTE,
      'initialization_timeout',
    ],
    [
      'registered and not Ready within the limit of the cluster',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS + MINUTE }), { node: notReady, ...LIMIT }),
      NOW_MS + 21 * MINUTE,
      'initialization_timeout',
    ],
    [
      'nothing is missing and no initialization was tried (D1)',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS }), { node: joined, ...LIMIT }),
      NOW_MS + HOUR,
      undefined,
    ],
    [
      'nothing is missing and the labels of its instance type are unread',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS, ...triedAt(NOW_MS + HOUR) }), {
        node: joined,
        instanceLabels: UNREAD,
        ...LIMIT,
      }),
      NOW_MS + HOUR,
      undefined,
    ],
    [
      'not yet: the limit counts from the registration',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS + MINUTE }), { node: joined, ...LIMIT }),
      NOW_MS + 21 * MINUTE - SECOND,
      undefined,
    ],
    [
      'registered, not initialized, without a limit (D8)',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS }), { node: joined }),
      NOW_MS + 24 * HOUR,
      undefined,
    ],
    [
      'initialized in time',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS }), { node: initialized, ...LIMIT }),
      NOW_MS + HOUR,
      undefined,
    ],
    [
      'initialized before, and its label was removed',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS }), { node: joined, ...LIMIT }),
      NOW_MS + HOUR,
      undefined,
    ],
    ['kubectl delete nodeclaim', viewOf(aClaim(), { deletionTimestamp: '2026-01-31T08:00:00Z' }), NOW_MS, 'deleted'],
    [
      'kubectl delete node (D17)',
      viewOf(launchedClaim(), { node: aNode({ deletionTimestamp: '2026-01-31T08:00:00Z' }) }),
      NOW_MS,
      'deleted',
    ],
    [
      'older than expireAfter (D14)',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS })),
      NOW_MS + 720 * HOUR,
      'expired',
    ],
    [
      'not yet: a minute younger (D14)',
      viewOf(launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS })),
      NOW_MS + 720 * HOUR - MINUTE,
      undefined,
    ],
    [
      'Never (D14)',
      viewOf(
        launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS, spec: claimSpec({ expireAfter: 'Never' }) }),
      ),
      NOW_MS + 9_999 * HOUR,
      undefined,
    ],
    [
      'its instance no longer exists (D15)',
      viewOf(launchedClaim(), { instanceListed: false }),
      NOW_MS + 3 * MINUTE,
      'garbage_collected',
    ],
    [
      'not yet: a new instance may not be listed',
      viewOf(launchedClaim(), { instanceListed: false }),
      NOW_MS + 3 * MINUTE - 1,
      undefined,
    ],
    [
      'its instance no longer exists, its node is not Ready (D15)',
      viewOf(launchedClaim(), { instanceListed: false, node: aNode({ ready: false }) }),
      NOW_MS + 3 * MINUTE,
      'garbage_collected',
    ],
    [
      'not yet: its instance is not listed, but its node is Ready (D15)',
      viewOf(launchedClaim(), { instanceListed: false, node: aNode() }),
      NOW_MS + 3 * MINUTE,
      undefined,
    ],
  ])('%s', (...[, view, nowMs, reason]) => {
    expect(deletionOf(view, nowMs)).toBe(reason);
  });

  test('lifecycle ignores a claim that is being deleted', () => {
    const record = aClaim({ deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } });
    expect(decideLifecycle(viewOf(record), NOW_MS).actions).toEqual([]);
  });

  test('a claim without a node is reconciled again at its registration timeout', () => {
    expect(decideLifecycle(viewOf(launchedClaim()), NOW_MS).due).toEqual([
      { atMs: NOW_MS + 15 * MINUTE, kind: 'settling' },
    ]);
  });
});
