import { describe, expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { planLaunch } from '../../../../lib/core/node-claim/launch/launch.ts';
import { newNodeClaim } from '../../../../lib/core/provisioning/new-node-claim.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { launchContext } from '../../../builders/launch-context.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { pendingPod } from '../../../builders/pods.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place } from '../../scheduling/problems.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const FAMILY = 'karpenter.k8s.aws/instance-family';
const ZONE = 'eu-west-3a';

/** Ten types of five families. EC2 has refused the cheapest ones. */
function pools(key: string, refused: number) {
  const types = Array.from({ length: 10 }, (_, at) => {
    const offering = anOffering(ZONE, 'spot', 0.1 + at / 1000);
    const offerings = [at < refused ? { ...offering, available: false, shortage: 'missing' as const } : offering];
    const type = anInstanceType({ name: `m${at}.large`, cpu: 2, zones: [ZONE], offerings });
    return { ...type, requirements: { ...type.requirements, [FAMILY]: [`f${Math.floor(at / 2)}`] } };
  });
  return [aPoolView({ types, requirements: [{ ...asking(key, 'Exists'), minValues: 5 }] })];
}

const pods = [pendingPod({ requests: { cpu: '1' } })];

function claimWith(key: string, over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  const [claim] = place(pods, { nodePools: pools(key, 0) }).newClaims;
  if (claim === undefined) throw new Error('the pod has no claim');
  return { ...newNodeClaim(claim, 0, { cluster: 'demo', decisionId: 'd', nowMs: NOW_MS }), ...over };
}

/** The number of types of the launch after EC2 has refused the cheapest ones, or why there is none. */
function launched(record: NodeClaimRecord, refused: number): number | string {
  const unavailable = Array.from({ length: refused }, (_, at) => ({
    instanceType: `m${at}.large`,
    zone: ZONE,
    capacityType: 'spot' as const,
    reason: 'InsufficientInstanceCapacity',
    atMs: NOW_MS,
    untilMs: NOW_MS + 1,
  }));
  const planned = planLaunch(record, { ...launchContext(), unavailable });
  if (planned.kind !== 'launch') return planned.message;
  return new Set(planned.request.overrides.map(({ instanceType }) => instanceType)).size;
}

describe('B24, C42: a launch after refused capacity', () => {
  test('has the types that are left while they satisfy minValues, and is given up when they do not', () => {
    const record = claimWith(TYPE);
    expect([0, 5, 6].map((refused) => launched(record, refused))).toEqual([
      10,
      5,
      `minValues requires 5 values of ${TYPE}, but the types with capacity have 4`,
    ]);
  });

  test('counts the values of any label', () => {
    const record = claimWith(FAMILY);
    expect([1, 2].map((refused) => launched(record, refused))).toEqual([
      9,
      `minValues requires 5 values of ${FAMILY}, but the types with capacity have 4`,
    ]);
  });

  test('has fewer values if minValues was relaxed for the claim', () => {
    const annotations = { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' };
    expect(launched(claimWith(TYPE, { annotations }), 9)).toBe(1);
  });

  test('has fewer values if the record was written by a version that did not count them', () => {
    const { types, ...record } = claimWith(TYPE);
    expect(launched({ ...record, types: types.map(({ counted: _counted, ...type }) => type) }, 9)).toBe(1);
  });
});

test('B24: the refusal says that capacity is missing, if the types would satisfy minValues', () => {
  const [unplaced] = place(pods, { nodePools: pools(TYPE, 6) }).unplaced;
  expect(unplaced?.refusals[0]?.refusal).toEqual({
    reason: 'MinValues',
    message: `minValues requires 5 values of ${TYPE}, but only 4 of 10 have capacity now`,
    numbers: { values: 4, known: 10, minValues: 5 },
  });
});
