import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import type { Condition } from '../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { poolsOfClaims, refusingPools, unreadyPools } from '../../../lib/core/problems/unready-pools.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { pendingPod } from '../../builders/pods.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function unready(
  minutes: number,
  { name = 'general', status = 'False' }: { name?: string; status?: Condition['status'] } = {},
): NodePool {
  const pool = aNodePool({});
  const since = formatTime(NOW_MS - minutes * MINUTE);
  const ready = { type: 'Ready', status, reason: 'Refused', message: '403', lastTransitionTime: since };
  return { ...pool, metadata: { ...pool.metadata, name }, status: { nodes: 0, conditions: [ready] } };
}

const USED = new Set(['general', 'batch']);

function found(pools: readonly NodePool[], used: ReadonlySet<string> = USED): readonly string[] {
  return unreadyPools(pools, used, NOW_MS).map(({ message }) => message);
}

describe('a NodePool that is not Ready', () => {
  test('is a problem after ten minutes, with its message and the number of all', () => {
    expect(found([unready(10)])).toEqual([]);
    expect(found([unready(11)])).toEqual(['NodePool general: not Ready for 11 minutes: 403']);
    expect(found([unready(11, { status: 'Unknown' })])).toHaveLength(1);
    expect(found([unready(11, { status: 'True' })])).toEqual([]);
    const both = [unready(11), unready(70, { name: 'batch' })];
    expect(unreadyPools(both, USED, NOW_MS)).toEqual([
      {
        kind: 'NodePoolNotReady',
        message: 'NodePool batch, general: not Ready for 70 minutes: 403',
        numbers: { nodePools: 2 },
      },
    ]);
  });

  test('is none if nothing uses it, if it is being deleted, or if it has no status', () => {
    const pool = unready(60);
    expect(found([pool], new Set())).toEqual([]);
    const deletionTimestamp = formatTime(NOW_MS);
    expect(found([{ ...pool, metadata: { ...pool.metadata, deletionTimestamp } }])).toEqual([]);
    expect(found([aNodePool({})])).toEqual([]);
  });

  test('is one without nodes if it is static and has replicas', () => {
    const pool = unready(60);
    const replicas = (count: number) => ({ ...pool, spec: { ...pool.spec, replicas: count } });
    expect(found([replicas(1)], new Set())).toHaveLength(1);
    expect(found([replicas(0)], new Set())).toEqual([]);
  });
});

test('a NodePool is used by its nodes that stay, and by the pods that it refuses', () => {
  const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS } as const;
  const records = [
    launchedClaim({ nodePool: 'a' }),
    aClaim({ nodePool: 'b' }),
    launchedClaim({ nodePool: 'c', deletion }),
    launchedClaim({ nodePool: 'd', releasedAtMs: NOW_MS }),
  ];
  expect([...poolsOfClaims(records)]).toEqual(['a', 'b']);
  const refusal = { reason: 'NodeClassNotReady', message: '', numbers: {} } as const;
  const unplaced = [{ pod: pendingPod({}), refusals: [{ refusal }, { nodePool: 'a', refusal }] }];
  expect([...refusingPools({ newClaims: [], existing: [], unplaced })]).toEqual(['a']);
});
