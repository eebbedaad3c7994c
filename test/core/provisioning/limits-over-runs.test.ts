import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { anInstanceType } from '../../builders/instance-types.ts';
import { aPoolView, asking, type NodePoolViewOptions } from '../../builders/node-pools.ts';
import { pendingPods } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

/** Pods that each need their own node. */
function apart(count: number): readonly Pod[] {
  return pendingPods(count, { containers: [{ name: 'main', ports: [{ hostPort: 80 }] }] });
}

/** The claims that each of these runs creates, one after the other, with the claims of the earlier runs in the snapshot. */
function runs(count: number, pods: readonly Pod[], pool: NodePoolViewOptions): readonly (readonly NodeClaimRecord[])[] {
  const created: (readonly NodeClaimRecord[])[] = [];
  for (let run = 1; run <= count; run += 1) {
    const snapshot = aSnapshot({ pods, nodeClaims: created.flat(), nodePools: [aPoolView(pool)] });
    const { actions } = provision(snapshot, { decisionId: `decision-${run}`, nowMs: NOW_MS + run });
    created.push(actions.flatMap((action) => (action.kind === 'create-node-claim' ? [action.nodeClaim] : [])));
  }
  return created;
}

function held(claims: readonly NodeClaimRecord[], resource: string): number {
  return claims.reduce((sum, { holds }) => sum + (holds[resource] ?? 0), 0);
}

describe('limits hold across runs: a run reads the claims of the previous one, where Karpenter checks again at creation', () => {
  test('each claim counts as the largest type that it allows (B39)', () => {
    const created = runs(3, apart(90), { limits: { cpu: '140' } });
    expect(created.map((claims) => claims.length)).toEqual([70, 0, 0]);
    expect(held(created.flat(), 'cpu')).toBeLessThanOrEqual(140_000);
  });

  test('nodes are counted exactly, where Karpenter creates too many (B23, B39)', () => {
    const created = runs(3, apart(70), { limits: { nodes: '53' } });
    expect(created.map((claims) => claims.length)).toEqual([53, 0, 0]);
  });

  test('a claim counts as its largest launch option, including expensive types that minValues needs (B24, B39)', () => {
    const types = Array.from({ length: 70 }, (_, at) =>
      anInstanceType({ name: `t${at}.large`, price: 0.1 + at / 1_000 }),
    );
    const large = anInstanceType({ name: 'x1.32xlarge', cpu: 128, memoryGib: 512, price: 9 });
    const two = { ...asking('karpenter.k8s.aws/instance-cpu', 'Exists'), minValues: 2 };
    const [[claim] = []] = runs(1, apart(1), { types: [...types, large], requirements: [two], limits: { cpu: '500' } });
    expect(claim?.types).toHaveLength(60);
    expect(claim?.options.at(-1)?.instanceType).toBe('x1.32xlarge');
    expect(claim?.holds['cpu']).toBe(128_000);
  });
});
