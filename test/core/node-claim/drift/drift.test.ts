import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../../lib/apis/ec2-node-class.ts';
import type { Labels } from '../../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { optional } from '../../../../lib/apis/optional.ts';
import { DRIFT_REASONS, type Drift, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { unchanged } from '../../../../lib/core/node-claim/claim-verdict.ts';
import { type DriftView, withDrift } from '../../../../lib/core/node-claim/drift/drift.ts';
import { driftTarget } from '../../../../lib/core/node-claim/drift/drift-target.ts';
import { conditionsOf } from '../../../../lib/core/node-claim/mirror/mirror-conditions.ts';
import { nodePoolHash, withCurrentPoolHash } from '../../../../lib/core/node-pool/node-pool-hash.ts';
import { deletionOf, viewOf } from '../../../builders/claim-view.ts';
import { anInstance, claimSpec, launchedClaim } from '../../../builders/node-claims.ts';
import { aNodeClass, aNodePool, asking } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS } from '../../../builders/times.ts';

const CLASS_HASH = {
  'karpenter.k8s.aws/ec2nodeclass-hash': 'class-1',
  'karpenter.k8s.aws/ec2nodeclass-hash-version': 'kerf-6',
};
const POOL = aNodePool();
const LATER = NOW_MS + 10 * MINUTE;

/** The labels of an initialized claim of an m5.large. */
const LABELS = {
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/os': 'linux',
  'karpenter.k8s.aws/instance-family': 'm5',
  'karpenter.k8s.aws/instance-memory': '8192',
  'karpenter.sh/nodepool': 'general',
};

const FORGED = { 'karpenter.k8s.aws/instance-memory': '8192' };

function aReadyClass(
  over: { readonly generation?: number; readonly hash?: string; readonly status?: object } = {},
): EC2NodeClass {
  const { generation = 1, hash = 'class-1', status = {} } = over;
  return {
    ...aNodeClass(),
    metadata: {
      name: 'default',
      generation,
      annotations: { ...CLASS_HASH, 'karpenter.k8s.aws/ec2nodeclass-hash': hash },
    },
    status: {
      amis: [
        { id: 'ami-gpu', requirements: [asking('karpenter.k8s.aws/instance-gpu-count', 'Exists')] },
        { id: 'ami-amd64', requirements: [asking('kubernetes.io/arch', 'In', 'amd64')] },
        { id: 'ami-older', requirements: [asking('kubernetes.io/arch', 'In', 'amd64')] },
      ],
      subnets: [{ id: 'subnet-a', zone: 'eu-west-3a' }],
      securityGroups: [{ id: 'sg-1' }, { id: 'sg-2' }],
      conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', observedGeneration: 1 }],
      ...status,
    },
  };
}

/** An initialized claim that matches the NodePool and the class. */
function aMatchingClaim(over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  const annotations = { ...nodePoolHash(POOL), ...CLASS_HASH };
  return launchedClaim({ registeredAtMs: NOW_MS, initializedAtMs: NOW_MS, annotations, ...over });
}

interface Case {
  readonly pool?: NodePool;
  readonly nodeClass?: EC2NodeClass;
  readonly view?: DriftView;
  readonly nowMs?: number;
}

function drifted(
  record: NodeClaimRecord,
  { pool = POOL, nodeClass = aReadyClass(), view = {}, nowMs = LATER }: Case = {},
): NodeClaimRecord {
  const target = driftTarget(pool, nodePoolHash(pool), nodeClass);
  const instance = { ...anInstance(), subnetId: 'subnet-a', securityGroupIds: ['sg-2', 'sg-1'] };
  return withDrift(unchanged(record), { target, labels: LABELS, instance, offered: true, ...view }, nowMs).record;
}

function driftOf(record: NodeClaimRecord, world: Case = {}): Drift | undefined {
  return drifted(record, world).drift;
}

const SPOT = asking('karpenter.sh/capacity-type', 'In', 'spot');
const TAINTED = aNodePool({ taints: [{ key: 'a', effect: 'NoSchedule' }] });
const OTHERS = {
  ...anInstance(),
  subnetId: 'subnet-b',
  securityGroupIds: ['sg-1'],
  reservation: { id: 'cr-1', kind: 'default' as const },
};

/** Each reason, with a world in which it is the first one. */
const WORLDS: Readonly<Record<Exclude<Drift['reason'], 'Expired'>, readonly [Case, string]>> = {
  NodePoolDrifted: [{ pool: TAINTED }, 'the template of NodePool general has changed since the launch'],
  RequirementsDrifted: [
    { pool: aNodePool({ requirements: [SPOT] }) },
    'NodePool general requires karpenter.sh/capacity-type In [spot], and the label of the NodeClaim is In [on-demand]',
  ],
  InstanceTypeNotFound: [
    { view: { offered: false }, nowMs: NOW_MS + HOUR },
    'm5.large is no longer offered in eu-west-3a',
  ],
  NodeClassDrift: [
    { nodeClass: aReadyClass({ hash: 'class-2' }) },
    'EC2NodeClass default has changed since the launch',
  ],
  AMIDrift: [
    { nodeClass: aReadyClass({ status: { amis: [{ id: 'ami-new', requirements: [] }] } }) },
    'its image is ami-amd64, and EC2NodeClass default selects ami-new for m5.large',
  ],
  SecurityGroupDrift: [
    { view: { instance: { ...OTHERS, subnetId: 'subnet-a' } } },
    'its security groups are sg-1, and EC2NodeClass default selects sg-1, sg-2',
  ],
  SubnetDrift: [
    { view: { instance: { ...OTHERS, securityGroupIds: ['sg-1', 'sg-2'] } } },
    'EC2NodeClass default does not select its subnet subnet-b',
  ],
  CapacityReservationDrift: [
    { view: { instance: { ...OTHERS, subnetId: 'subnet-a', securityGroupIds: ['sg-1', 'sg-2'] } } },
    'EC2NodeClass default does not select its capacity reservation cr-1',
  ],
};

describe('D34, C78: a claim', () => {
  test('that matches its NodePool and its class has not drifted, and its record is not written', () => {
    const record = aMatchingClaim();
    expect(drifted(record)).toBe(record);
  });

  test.each(DRIFT_REASONS.filter((reason) => reason !== 'Expired'))('has drifted: %s', (reason) => {
    const [world, message] = WORLDS[reason];
    const drift = { reason, message, sinceMs: world.nowMs ?? LATER };
    const record = drifted(aMatchingClaim(), world);
    expect(record.drift).toEqual(drift);
    expect(conditionsOf(record, {}).find(({ type }) => type === 'Drifted')).toMatchObject({
      status: 'True',
      reason,
      message,
    });
    expect(drifted(record, world), 'not written again').toBe(record);
    const again = drifted(record, { nowMs: LATER + HOUR });
    expect(again, 'it matches again').not.toHaveProperty('drift');
    expect(conditionsOf(again, {}).map(({ type }) => type)).not.toContain('Drifted');
  });

  test('has the first reason in the order of Karpenter, and keeps the time of its first one (E30)', () => {
    const nodeClass = aReadyClass({ hash: 'class-2' });
    const record = drifted(aMatchingClaim(), { nodeClass });
    const both = drifted(record, { nodeClass, pool: TAINTED, nowMs: LATER + HOUR });
    expect(both.drift).toMatchObject({ reason: 'NodePoolDrifted', sinceMs: LATER });
  });

  test('that is not launched has not drifted (D35)', () => {
    const planned = aMatchingClaim({ launch: { kind: 'planned' } });
    expect(drifted(planned, { pool: TAINTED })).not.toHaveProperty('drift');
    const shown = conditionsOf({ ...drifted(aMatchingClaim(), { pool: TAINTED }), launch: { kind: 'planned' } }, {});
    expect(shown.map(({ type }) => type)).not.toContain('Drifted');
  });
});

describe('D35: hashes', () => {
  test.each([
    ['of another version', { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v3' }],
    ['without a version', { 'karpenter.sh/nodepool-hash': '1' }],
    ['that are missing', {}],
  ])('%s are not compared', (_, annotations) => {
    const record = aMatchingClaim({ annotations });
    expect(drifted(record, { pool: TAINTED, nodeClass: aReadyClass({ hash: 'class-2' }) })).toBe(record);
  });

  test('A1.28: of a claim that Karpenter found drifted stay other hashes, and those of other claims become current', () => {
    const annotations = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'v3' };
    const karpenters: Drift = { reason: 'NodePoolDrifted', message: '', sinceMs: NOW_MS };
    const record = aMatchingClaim({ annotations, drift: karpenters });
    expect(drifted(record).drift, 'before the version is replaced').toEqual(karpenters);
    expect(driftOf(withCurrentPoolHash(record, POOL))).toMatchObject({ reason: 'NodePoolDrifted', sinceMs: NOW_MS });
    const otherReason = aMatchingClaim({ annotations, drift: { ...karpenters, reason: 'AMIDrift' } });
    expect(driftOf(withCurrentPoolHash(otherReason, POOL))).toBeUndefined();
    expect(driftOf(withCurrentPoolHash(aMatchingClaim({ annotations }), POOL))).toBeUndefined();
  });
});

describe('D35: requirements', () => {
  test.each([
    ['a new custom label', [asking('team', 'In', 'a')], true],
    ['a new custom label that may be absent', [asking('team', 'NotIn', 'a')], false],
    ['another value of a label of the instance type', [asking('karpenter.k8s.aws/instance-family', 'In', 'm7i')], true],
    ['a label that the instance type does not have', [asking('karpenter.k8s.aws/instance-gpu-count', 'Exists')], true],
    ['the same values, by the former name of a label', [asking('beta.kubernetes.io/arch', 'In', 'amd64')], false],
    [
      'the tenancy that instances have by default',
      [asking('karpenter.k8s.aws/instance-tenancy', 'In', 'default')],
      false,
    ],
    ['another tenancy', [asking('karpenter.k8s.aws/instance-tenancy', 'In', 'dedicated')], true],
    ['a zone id that the node does not show yet', [asking('topology.k8s.aws/zone-id', 'In', 'euw3-az1')], false],
  ])('%s: drifted %#', (_, requirements, expected) => {
    const spec = claimSpec({ requirements: [asking('topology.k8s.aws/zone-id', 'In', 'euw3-az1')] });
    const reason = driftOf(aMatchingClaim({ spec }), { pool: aNodePool({ requirements }) })?.reason;
    expect(reason).toBe(expected ? 'RequirementsDrifted' : undefined);
  });

  test('a claim that excludes the default tenancy has the dedicated one, without its label', () => {
    const tenancy = 'karpenter.k8s.aws/instance-tenancy';
    const record = aMatchingClaim({ spec: claimSpec({ requirements: [asking(tenancy, 'NotIn', 'default')] }) });
    const poolOf = (one: string) => aNodePool({ requirements: [asking(tenancy, 'In', one)] });
    expect(driftOf(record, { pool: poolOf('dedicated') })).toBeUndefined();
    expect(driftOf(record, { pool: poolOf('default') })?.reason).toBe('RequirementsDrifted');
  });

  test('are compared once the node is initialized, because the labels of the claim are complete then', () => {
    const { initializedAtMs: _, ...record } = aMatchingClaim();
    expect(driftOf(record, { pool: aNodePool({ requirements: [SPOT] }) })).toBeUndefined();
    expect(
      driftOf(aMatchingClaim(), { pool: aNodePool({ requirements: [SPOT] }), view: { labels: {} } }),
    ).toBeUndefined();
  });
});

test('the reservation of a node is not compared while the reservations of its class cannot be read', () => {
  const view = { instance: { ...anInstance(), reservation: { id: 'cr-1', kind: 'default' } as const } };
  const withRead = (status: 'True' | 'Unknown') => {
    const ready = { type: 'Ready', status, reason: 'Refused', observedGeneration: 1 };
    return aReadyClass({ status: { conditions: [ready, { ...ready, type: 'CapacityReservationsReady' }] } });
  };
  expect(drifted(aMatchingClaim(), { view, nodeClass: withRead('Unknown') }).drift).toBeUndefined();
  expect(drifted(aMatchingClaim(), { view, nodeClass: withRead('True') }).drift?.reason).toBe(
    'CapacityReservationDrift',
  );
});

test('D35: an instance type is missing after an hour, and a reserved instance may be on-demand', () => {
  const view = { offered: false };
  expect(driftOf(aMatchingClaim(), { view, nowMs: NOW_MS + HOUR - MINUTE })).toBeUndefined();
  const nodeClass = aReadyClass({ status: { capacityReservations: [{ id: 'cr-1' }] } });
  const reserved = launchedClaim(aMatchingClaim(), {
    capacityType: 'reserved',
    reservation: { id: 'cr-1', kind: 'default' },
  });
  expect(driftOf(reserved, { nodeClass, nowMs: NOW_MS + HOUR })).toBeUndefined();
});

describe('C78: a class', () => {
  const changed = aReadyClass({ hash: 'class-2' });
  test.each<[string, Case]>([
    [
      'that is being deleted',
      { nodeClass: { ...changed, metadata: { ...changed.metadata, deletionTimestamp: '2026-01-31T08:00:00Z' } } },
    ],
    [
      'that has changed since its status was written',
      { nodeClass: { ...changed, metadata: { ...changed.metadata, generation: 2 } } },
    ],
    ['without a status', { nodeClass: { ...aNodeClass(), metadata: changed.metadata } }],
    ['whose status may be older than the launch', { nodeClass: changed, nowMs: NOW_MS + 4 * MINUTE }],
  ])('%s causes no drift', (_, world) => {
    const record = aMatchingClaim();
    expect(drifted(record, world)).toBe(record);
  });

  test('that selects nothing, and an instance that EC2 does not describe, are not compared', () => {
    const nothing = aReadyClass({ status: { amis: [], subnets: [], securityGroups: [] } });
    const record = aMatchingClaim();
    expect(drifted(record, { nodeClass: nothing })).toBe(record);
    expect(drifted(record, { view: { instance: undefined } })).toBe(record);
    expect(drifted(record, { view: { instance: anInstance() } })).toBe(record);
  });

  test('has drifted from a node whose image is not the first one for its type', () => {
    const instance = anInstance({ imageId: 'ami-older' });
    const record = aMatchingClaim({ launch: { kind: 'launched', attempt: 1, instance, atMs: NOW_MS } });
    expect(driftOf(record)?.reason).toBe('AMIDrift');
    const labels = { ...LABELS, 'karpenter.k8s.aws/instance-gpu-count': '1' };
    expect(driftOf(aMatchingClaim(), { view: { labels } })?.message).toContain('selects ami-gpu');
  });

  test.each([
    ['is not registered', { registeredAtMs: undefined, initializedAtMs: undefined }, {}],
    ['is registered, while the catalogue was unread', { initializedAtMs: undefined }, {}],
    ['is initialized, and whose object was not written since', {}, {}],
    ['is not registered, and whose template sets a label of the instance', { initializedAtMs: undefined }, FORGED],
  ])('selects no image for a claim that %s, and that of its type for the next claim', (_, state, forged) => {
    const target = driftTarget(POOL, nodePoolHash(POOL), aReadyClass());
    const instance = anInstance({ instanceType: 'g5.xlarge', imageId: 'ami-gpu' });
    const healthy = aMatchingClaim({ launch: { kind: 'launched', attempt: 1, instance, atMs: NOW_MS } });
    const { registeredAtMs, initializedAtMs, ...launched } = { ...healthy, ...state };
    const first = { ...launched, ...optional({ registeredAtMs, initializedAtMs }) };
    const ofTemplate = { 'kubernetes.io/arch': 'amd64', ...forged };
    const driftWith = (record: NodeClaimRecord, labels: Labels) =>
      withDrift(unchanged(record), { target, labels }, LATER).record.drift;
    expect(driftWith(first, ofTemplate)).toBeUndefined();
    expect(driftWith(healthy, { ...LABELS, 'karpenter.k8s.aws/instance-gpu-count': '1' })).toBeUndefined();
  });
});

describe('D14, G8: a claim with the annotation graceful-expiration', () => {
  const claim = (grace: string): NodeClaimRecord => {
    const record = aMatchingClaim({ spec: claimSpec({ expireAfter: '1h' }) });
    return { ...record, annotations: { ...record.annotations, 'kerf.dev/graceful-expiration': grace } };
  };
  const node = aNode({ labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' } });

  test('counts as drifted from its expiry on', () => {
    expect(driftOf(claim('24h'), { nowMs: NOW_MS + HOUR - 1 })).toBeUndefined();
    const found = {
      reason: 'Expired',
      message: 'created at 2026-01-31T08:00:00Z, older than expireAfter 1h',
      sinceMs: NOW_MS + HOUR,
    };
    expect(driftOf(claim('24h'), { nowMs: NOW_MS + HOUR })).toEqual(found);
    expect(
      driftOf(aMatchingClaim({ spec: claimSpec({ expireAfter: '1h' }) }), { nowMs: NOW_MS + HOUR }),
    ).toBeUndefined();
  });

  test.each([
    ['24h', 25 * HOUR],
    ['0s', HOUR],
    ['soon', HOUR],
  ])('of %s is deleted %i ms after its creation', (grace, afterMs) => {
    expect(deletionOf(viewOf(claim(grace), { node }), NOW_MS + afterMs - 1)).toBeUndefined();
    expect(deletionOf(viewOf(claim(grace), { node }), NOW_MS + afterMs)).toBe('expired');
  });

  test('of Never is never deleted because of its age', () => {
    expect(deletionOf(viewOf(claim('Never'), { node }), NOW_MS + 10_000 * HOUR)).toBeUndefined();
  });
});

test('D34: a comparison that was not possible keeps its finding, and other findings are cleared', () => {
  const record = drifted(aMatchingClaim(), WORLDS.SubnetDrift[0]);
  expect(drifted(record, { view: { instance: undefined } })).toBe(record);
  expect(withDrift(unchanged(record), {}, LATER).record, 'the NodePool is unread').toBe(record);
  const other = aMatchingClaim({ drift: { reason: 'NodePoolDrifted', message: '', sinceMs: NOW_MS } });
  expect(drifted(other, { view: { instance: undefined } })).not.toHaveProperty('drift');
});
