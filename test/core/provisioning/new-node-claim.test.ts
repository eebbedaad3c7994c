import { describe, expect, test } from 'vitest';
import type { DaemonSet, Labels, Pod } from '../../../lib/apis/kubernetes.ts';
import type { NodeOverlay } from '../../../lib/apis/node-overlay.ts';
import { applyOverlays } from '../../../lib/core/instance-type/overlays/overlays.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { newNodeClaim } from '../../../lib/core/provisioning/new-node-claim.ts';
import { nodePoolProblems } from '../../../lib/core/validation/node-pool.ts';
import { anInstanceType } from '../../builders/instance-types.ts';
import { anOverlay } from '../../builders/node-overlays.ts';
import { aPoolView, asking, customRequirements, type NodePoolViewOptions } from '../../builders/node-pools.ts';
import { aDaemonSet } from '../../builders/nodes.ts';
import { pendingPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';
import { place } from '../scheduling/problems.ts';

const CONTEXT = { cluster: 'demo', decisionId: 'decision-1', nowMs: NOW_MS };
const GIB = 2 ** 30;

/** The record of the claim of the pool for the pod. */
function recordFor(
  pool: NodePoolViewOptions = {},
  pod: Pod = pendingPod(),
  daemonSets: readonly DaemonSet[] = [],
): NodeClaimRecord | undefined {
  const [claim] = place([pod], { nodePools: [aPoolView(pool)], daemonSets }).newClaims;
  return claim && newNodeClaim(claim, 0, CONTEXT);
}

function valuesOf(record: NodeClaimRecord | undefined, key: string): readonly string[] | undefined {
  return record?.spec.requirements.find((one) => one.key === key)?.values;
}

const NOT_RELAXED = { 'karpenter.sh/nodeclaim-min-values-relaxed': 'false' };
/** A1.27: the hash shows whether the NodePool has changed since. */
const HASH = { 'karpenter.sh/nodepool-hash': expect.any(String), 'karpenter.sh/nodepool-hash-version': 'kerf-3' };

function withoutHash(annotations: Labels = {}): Labels {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !(key in HASH)));
}

describe('the record of a new claim', () => {
  test('has a name derived from its NodePool and the decision (A2.3)', () => {
    const record = recordFor({ name: 'gpu-pool' });
    expect(record?.name).toMatch(/^gpu-pool-[a-z2-7]{8}$/);
    expect(recordFor({ name: 'gpu-pool' })?.name).toBe(record?.name);
    const [claim] = place([pendingPod()], { nodePools: [aPoolView({ name: 'gpu-pool' })] }).newClaims;
    expect(claim && newNodeClaim(claim, 1, CONTEXT).name).not.toBe(record?.name);
    expect(claim && newNodeClaim(claim, 0, { ...CONTEXT, decisionId: 'decision-2' }).name).not.toBe(record?.name);
  });

  test('has the labels and annotations of the template, the pool and its NodeClass (A2.3)', () => {
    const record = recordFor({ labels: { team: 'a' }, annotations: { note: 'x' } });
    expect(record?.labels).toEqual({
      team: 'a',
      'karpenter.sh/nodepool': 'general',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    });
    expect(record?.annotations).toEqual({ note: 'x', ...NOT_RELAXED, ...HASH });
  });

  test('of a valid NodePool has at most 100 requirements, which the API server accepts (A1.5)', () => {
    const labels = { team: 'web', 'example.com/k1': 'x' };
    const sizes: NodePoolViewOptions['requirements'] = [
      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['1'] },
      { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['97'] },
      { key: 'topology.kubernetes.io/zone', operator: 'Exists' },
    ];
    for (const [count, made] of [
      [92, 100],
      [93, 101],
    ] as const) {
      const pool = { labels, requirements: [...customRequirements(count), ...sizes] };
      expect(recordFor(pool)?.spec.requirements).toHaveLength(made);
      expect(nodePoolProblems(aPoolView(pool).nodePool)).toHaveLength(made - 100);
    }
  });

  test('shows that a NodeOverlay changed its prices or its capacity (A4.10)', () => {
    const made = (overlay: Partial<NodeOverlay['spec']>) => {
      const { views } = applyOverlays([aPoolView()], [anOverlay(overlay)]);
      const [claim] = place([pendingPod()], { nodePools: views }).newClaims;
      return claim && withoutHash(newNodeClaim(claim, 0, CONTEXT).annotations);
    };
    expect(made({ price: '0.01' })).toEqual({ ...NOT_RELAXED, 'karpenter.sh/price-overlay-applied': 'true' });
    expect(made({ capacity: { 'example.com/licence': 4 } })).toEqual({
      ...NOT_RELAXED,
      'karpenter.sh/capacity-overlay-applied': 'true',
    });
    expect(made({})).toEqual(NOT_RELAXED);
  });

  test.each([
    ['Exists', [], '1'],
    ['Gt', ['7'], '8'],
    ['Lt', ['5'], '1'],
    ['Lt', ['1'], '0'],
  ] as const)(
    'has a generated value for a required label without allowed values: %s %j (B14)',
    (operator, values, made) => {
      const record = recordFor({ requirements: [asking('tier', operator, ...values)] });
      expect(record?.labels['tier']).toBe(made);
    },
  );

  test('omits a label that is not required (B14)', () => {
    expect(recordFor({ requirements: [asking('tier', 'NotIn', 'gold')] })?.labels).not.toHaveProperty('tier');
  });

  test('shows that it has fewer values than minValues requires (B24)', () => {
    const flexible = aPoolView({
      requirements: [{ ...asking('karpenter.k8s.aws/instance-family', 'Exists'), minValues: 9 }],
    });
    const options = { minValuesPolicy: 'BestEffort' } as const;
    const [claim] = place([pendingPod()], { nodePools: [flexible], options }).newClaims;
    const record = claim && newNodeClaim(claim, 0, CONTEXT);
    expect(withoutHash(record?.annotations)).toEqual({ 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' });
    expect(record?.spec.requirements).toContainEqual({
      key: 'karpenter.k8s.aws/instance-family',
      operator: 'Exists',
      minValues: 1,
    });
    expect(withoutHash(recordFor()?.annotations)).toEqual(NOT_RELAXED);
  });

  test('has one value for a custom label (B14)', () => {
    const pool = { requirements: [asking('team', 'In', 'b', 'a')] };
    expect(recordFor(pool)?.labels).toMatchObject({ team: 'a' });
    expect(recordFor(pool, pendingPod({ spec: { nodeSelector: { team: 'b' } } }))?.labels).toMatchObject({ team: 'b' });
    expect(recordFor({ requirements: [asking('team', 'DoesNotExist')] })?.labels).not.toHaveProperty('team');
  });

  test('does not have well-known labels, which come from the instance', () => {
    expect(Object.keys(recordFor()?.labels ?? {})).not.toContain('topology.kubernetes.io/zone');
  });

  test('has requirements for exactly its launch options, and no hostname (B38)', () => {
    const record = recordFor(
      {},
      pendingPod({ requests: { cpu: '3' }, spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'eu-west-3b' } } }),
    );
    expect(valuesOf(record, 'node.kubernetes.io/instance-type')).toEqual(['m5.2xlarge', 'm5.xlarge']);
    expect(valuesOf(record, 'topology.kubernetes.io/zone')).toEqual(['eu-west-3b']);
    expect(valuesOf(record, 'karpenter.sh/capacity-type')).toEqual(['on-demand', 'spot']);
    expect(valuesOf(record, 'kubernetes.io/hostname')).toBeUndefined();
    // Without the larger type on demand, which costs five times the smaller one on spot.
    expect(record?.options).toHaveLength(3);
  });

  test('requests the resources of its pods and the minimum of DaemonSet pods (B21, B38)', () => {
    const daemonSets = [
      aDaemonSet('everywhere'),
      aDaemonSet('on-large', { nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '8' } }),
    ];
    const record = recordFor({}, pendingPod({ requests: { cpu: '1', memory: '1500000001' } }), daemonSets);
    expect(record?.spec.resources.requests).toEqual({ cpu: '1100m', memory: '1500000001', pods: '2' });
  });

  test('copies taints and durations from the NodePool, with 720h as the default (A1.9, A2.8)', () => {
    const taints = [{ key: 'team', effect: 'NoSchedule' }] as const;
    const pod = pendingPod({ spec: { tolerations: [{ operator: 'Exists' }] } });
    const pool = { taints, startupTaints: taints, expireAfter: 'Never', terminationGracePeriod: '1h' };
    expect(recordFor(pool, pod)?.spec).toMatchObject(pool);
    expect(recordFor()?.spec).toMatchObject({ expireAfter: '720h' });
    expect(recordFor()?.spec).not.toHaveProperty('terminationGracePeriod');
  });

  test('counts as the largest and offers the smallest of its types (promise 2)', () => {
    const types = [
      anInstanceType({ name: 'c5.xlarge', cpu: 4, memoryGib: 8 }),
      anInstanceType({ name: 'r5.large', cpu: 2, memoryGib: 16 }),
    ];
    expect(recordFor({ types })).toMatchObject({
      holds: { cpu: 4_000, memory: 16 * GIB },
      allocatable: { cpu: 2_000, memory: 8 * GIB },
      launch: { kind: 'planned' },
      pods: ['default/web-1'],
      createdAtMs: NOW_MS,
    });
  });

  test('counts only types of its launch options (C39)', () => {
    const types = [anInstanceType({ name: 'm5.large' }), anInstanceType({ name: 'm5.metal', cpu: 96, memoryGib: 384 })];
    expect(recordFor({ types })).toMatchObject({ holds: { cpu: 2_000 }, types: [{ name: 'm5.large' }] });
  });

  test('has the architecture of each type', () => {
    const types = [anInstanceType({ name: 'm5.large' }), anInstanceType({ name: 'm6g.large', arch: 'arm64' })];
    expect(recordFor({ types })?.types).toMatchObject([
      { name: 'm5.large', architecture: 'amd64' },
      { name: 'm6g.large', architecture: 'arm64' },
    ]);
  });
});

test('D14: a NodeClaim keeps how gracefully it expires, as its NodePool says at its creation', () => {
  const key = 'kerf.dev/graceful-expiration';
  const view = aPoolView();
  const { metadata } = view.nodePool;
  const annotated = {
    ...view,
    nodePool: { ...view.nodePool, metadata: { ...metadata, annotations: { [key]: '24h' } } },
  };
  const annotationOf = (pool: typeof view): string | undefined => {
    const [claim] = place([pendingPod()], { nodePools: [pool] }).newClaims;
    return claim && newNodeClaim(claim, 0, CONTEXT).annotations[key];
  };
  expect(annotationOf(annotated)).toBe('24h');
  expect(annotationOf(view)).toBeUndefined();
});
