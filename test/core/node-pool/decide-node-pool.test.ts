import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { Condition } from '../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { decideNodePool, type NodePoolState } from '../../../lib/core/node-pool/decide-node-pool.ts';
import { nodePoolHash, withCurrentPoolHash } from '../../../lib/core/node-pool/node-pool-hash.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass, aNodePool } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

const DELETION = { reason: 'empty', message: '', requestedAtMs: NOW_MS } as const;

function aReadyClass(ready: Partial<Condition> = {}, metadata: Partial<EC2NodeClass['metadata']> = {}): EC2NodeClass {
  const nodeClass = aNodeClass();
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-31T08:00:00Z', ...ready } as const;
  return {
    ...nodeClass,
    metadata: { ...nodeClass.metadata, generation: 3, ...metadata },
    status: { conditions: [condition] },
  };
}

function look(over: Partial<NodePoolState> = {}): NodePoolState {
  return { nodePool: aNodePool(), nodeClass: aReadyClass(), records: [], nodes: new Map(), ...over };
}

/** The pool after the patch is written. */
function written(one: NodePoolState, nowMs = NOW_MS): NodePool {
  const { annotations, status } = decideNodePool(one, nowMs) ?? {};
  const { nodePool } = one;
  const metadata = { ...nodePool.metadata, annotations: { ...nodePool.metadata.annotations, ...annotations } };
  return { ...nodePool, metadata, ...(status !== undefined && { status }) };
}

function conditionOf(nodePool: NodePool, type: string): Condition | undefined {
  return nodePool.status?.conditions?.find((one) => one.type === type);
}

const failed = (name: string, atMs = NOW_MS) =>
  launchedClaim({ name, deletion: { reason: 'registration_timeout', message: '', requestedAtMs: atMs } });
const healthOf = (pool: NodePool) => conditionOf(pool, 'NodeRegistrationHealthy')?.status;
const hashOf = (pool: NodePool) => nodePoolHash(pool)['karpenter.sh/nodepool-hash'];

describe('A1.22, D33: the nodes and resources of a pool', () => {
  test('launched claims that are not being deleted count, with the capacity of their nodes', () => {
    const records = [
      launchedClaim({ name: 'general-1' }, { id: 'i-1' }),
      launchedClaim({ name: 'general-2' }, { id: 'i-2' }),
      launchedClaim({ name: 'general-3', deletion: DELETION }, { id: 'i-3' }),
      aClaim({ name: 'general-4' }),
    ];
    const node = { ...aNode(), status: { capacity: { cpu: '4', memory: '16Gi', 'nvidia.com/gpu': '1' } } };
    const nodes = new Map([['aws:///eu-west-3a/i-1', node]]);
    const { status } = written(look({ records, nodes }));
    expect(status?.nodes).toBe(2);
    expect(status?.resources).toEqual({ cpu: '6', memory: '24Gi', pods: '29', 'nvidia.com/gpu': '1', nodes: '2' });
  });

  test('an unchanged status is not written', () => {
    const one = look({ records: [launchedClaim({ registeredAtMs: NOW_MS })] });
    const nodePool = written(one);
    expect(decideNodePool({ ...one, nodePool }, NOW_MS + HOUR)).toBeUndefined();
  });
});

describe('A1.24, A1.25, D33: the conditions', () => {
  test('a pool with a Ready NodeClass is Ready and has the observed generation of the class (A1.23)', () => {
    const pool = written(look());
    expect(conditionOf(pool, 'Ready')?.status).toBe('True');
    expect(pool.status?.nodeClassObservedGeneration).toBe(3);
  });

  test.each([
    ['there is none', undefined, 'False', 'NodeClassNotFound'],
    ['it is going', aReadyClass({}, { deletionTimestamp: 'x' }), 'False', 'NodeClassTerminating'],
    ['it is not ready', aReadyClass({ status: 'False', reason: 'SubnetsNotFound' }), 'False', 'SubnetsNotFound'],
    ['it is not known', aReadyClass({ status: 'Unknown' }), 'Unknown', 'NodeClassReadinessUnknown'],
  ] as const)('a class of which %s keeps the pool from being Ready', (...[, nodeClass, status, reason]) => {
    const pool = written(look({ nodeClass }));
    expect(conditionOf(pool, 'NodeClassReady')).toMatchObject({ status, reason });
    expect(conditionOf(pool, 'Ready')).toMatchObject({ status, reason });
  });

  test('an invalid pool has a condition that says what to write (A1.26)', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['not a value'] }] as const;
    const pool = written(look({ nodePool: aNodePool({ requirements }) }));
    expect(conditionOf(pool, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'NodePoolValidationFailed',
      message: expect.stringContaining('write'),
    });
    expect(conditionOf(pool, 'Ready')?.status).toBe('False');
  });

  test('A1.21: a pool with replicas has the condition that static capacity is not supported, unless the feature gate is on', () => {
    const pool = written(look({ nodePool: aNodePool({ replicas: 3 }) }));
    expect(conditionOf(pool, 'Ready')).toMatchObject({ status: 'False', reason: 'StaticCapacityNotSupported' });
    const on = written({ ...look({ nodePool: aNodePool({ replicas: 3 }) }), staticCapacity: true });
    expect(conditionOf(on, 'ValidationSucceeded')).toMatchObject({ status: 'True' });
  });

  test('conditions of other owners stay', () => {
    const theirs = { type: 'Theirs', status: 'True', lastTransitionTime: '2026-01-31T08:00:00Z' } as const;
    const pool = written(look({ nodePool: { ...aNodePool(), status: { nodes: 0, conditions: [theirs] } } }));
    expect(pool.status?.conditions).toContainEqual(theirs);
  });
});

describe('D9: whether instances register as nodes', () => {
  test('the condition is Unknown before the first instance', () => {
    expect(healthOf(written(look()))).toBe('Unknown');
  });

  test('two failures among the last four make the condition False until a node registers', () => {
    const bad = written(look({ records: [failed('a'), failed('b')] }));
    expect(healthOf(bad)).toBe('False');
    const forgotten = written(look({ nodePool: bad }), NOW_MS + MINUTE);
    expect(healthOf(forgotten)).toBe('False');
    const good = launchedClaim({ registeredAtMs: NOW_MS + MINUTE });
    expect(healthOf(written(look({ nodePool: forgotten, records: [good] }), NOW_MS + HOUR))).toBe('True');
  });

  test('one failure does not change the condition', () => {
    const good = launchedClaim({ name: 'good', registeredAtMs: NOW_MS - MINUTE });
    expect(healthOf(written(look({ records: [good, failed('a')] })))).toBe('True');
  });

  test.each([
    ['was never requested', { kind: 'planned' }, 'Unknown'],
    ['EC2 throttled', { kind: 'refused', attempt: 3, message: '', atMs: NOW_MS, throttled: true }, 'Unknown'],
    ['EC2 refused', { kind: 'refused', attempt: 3, message: '', atMs: NOW_MS }, 'False'],
  ] as const)('two claims that are given up and whose launch %s', (_, launch, health) => {
    const deletion = { reason: 'launch_timeout', message: '', requestedAtMs: NOW_MS } as const;
    const records = ['a', 'b'].map((name) => aClaim({ name, launch, deletion }));
    expect(healthOf(written(look({ records })))).toBe(health);
  });

  test('two failures one after the other make the condition False, although the first claim is gone before the second', () => {
    const first = written(look({ records: [failed('a')] }));
    expect(conditionOf(first, 'NodeRegistrationHealthy')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining('NodeClaim a did not become a node in time'),
    });
    const again = written(look({ nodePool: first, records: [failed('a')] }), NOW_MS + MINUTE);
    expect(healthOf(again), 'a failure counts once').toBe('Unknown');
    const gone = written(look({ nodePool: again }), NOW_MS + 2 * MINUTE);
    const second = look({ nodePool: gone, records: [failed('b', NOW_MS + 15 * MINUTE)] });
    expect(healthOf(written(second, NOW_MS + 15 * MINUTE))).toBe('False');
  });

  test('a failure of a healthy pool counts together with the next one until four nodes have registered since', () => {
    const old = launchedClaim({ name: 'old', registeredAtMs: NOW_MS - HOUR });
    const noted = written(look({ records: [old, failed('a')] }));
    expect(healthOf(noted)).toBe('True');
    const next = failed('b', NOW_MS + HOUR);
    expect(healthOf(written(look({ nodePool: noted, records: [old, next] }), NOW_MS + HOUR))).toBe('False');
    const since = ['c', 'd', 'e', 'f'].map((name) => launchedClaim({ name, registeredAtMs: NOW_MS + MINUTE }));
    const better = written(look({ nodePool: noted, records: [old, ...since] }), NOW_MS + MINUTE);
    expect(conditionOf(better, 'NodeRegistrationHealthy')).toMatchObject({ status: 'True', message: '' });
    expect(healthOf(written(look({ nodePool: better, records: [old, next] }), NOW_MS + HOUR))).toBe('True');
  });

  test('a change of the class resets the condition (A1.23)', () => {
    const bad = written(look({ records: [failed('a'), failed('b')] }));
    const changed = look({ nodePool: bad, nodeClass: aReadyClass({}, { generation: 4 }) });
    expect(healthOf(written(changed))).toBe('Unknown');
  });
});

describe('A1.27, A1.28, D33: the hash', () => {
  test.each([
    ['requirements', aNodePool({ requirements: [{ key: 'a', operator: 'Exists' }] })],
    ['limits, weight and budgets', aNodePool({ limits: { cpu: '1' }, weight: 3, disruption: { budgets: [] } })],
    ['how a duration is written', aNodePool({ expireAfter: '719h60m' })],
    ['empty lists', aNodePool({ taints: [], labels: {} })],
  ])('%s make no difference', (_, pool) => {
    expect(hashOf(pool)).toBe(hashOf(aNodePool()));
  });

  test.each([
    ['a label', aNodePool({ labels: { a: 'b' } })],
    ['a taint', aNodePool({ taints: [{ key: 'a', effect: 'NoSchedule' }] })],
    ['the expiry', aNodePool({ expireAfter: '24h' })],
  ])('%s makes one', (_, pool) => {
    expect(hashOf(pool)).not.toBe(hashOf(aNodePool()));
  });

  test('the order of taints does not affect the hash', () => {
    const [a, b] = [{ key: 'a', effect: 'NoSchedule' } as const, { key: 'b', effect: 'NoSchedule' } as const];
    expect(hashOf(aNodePool({ taints: [a, b] }))).toBe(hashOf(aNodePool({ taints: [b, a] })));
  });

  test('a claim with a hash of Karpenter gets a new hash; a claim with a hash of Kerf is unchanged', () => {
    const theirs = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v3', team: 'a' };
    const marked = withCurrentPoolHash(aClaim({ annotations: theirs }), aNodePool());
    expect(marked.annotations).toEqual({ ...nodePoolHash(aNodePool()), team: 'a' });
    expect(withCurrentPoolHash(marked, aNodePool({ labels: { a: 'b' } }))).toBe(marked);
  });
});
