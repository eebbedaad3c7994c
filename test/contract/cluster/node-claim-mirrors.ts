import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import { ConflictError } from '../../../lib/ports/errors.ts';
import type { ClusterHarness } from '../cluster.ts';
import { A_NODE_CLAIM } from '../cluster-objects.ts';

/** The NodeClaim objects of `lib/ports/cluster.ts`. */
export function nodeClaimMirrorContract(name: string, make: () => Promise<ClusterHarness>): void {
  describe(`Cluster, NodeClaims: ${name}`, () => {
    let harness: ClusterHarness;
    let cluster: ClusterHarness['cluster'];
    beforeEach(async () => {
      harness = await make();
      ({ cluster } = harness);
    });
    afterEach(() => harness.close?.());

    test('a mirror is created, updated and removed', async () => {
      await cluster.applyNodeClaim(A_NODE_CLAIM);
      expect(await cluster.listNodeClaims()).toMatchObject([A_NODE_CLAIM]);
      const condition = { type: 'Launched', status: 'True', lastTransitionTime: '2026-01-31T08:00:00Z' } as const;
      const launched: NodeClaim = {
        ...A_NODE_CLAIM,
        metadata: { ...A_NODE_CLAIM.metadata, labels: { 'karpenter.sh/nodepool': 'general', zone: 'a' } },
        status: { providerID: 'aws:///us-east-1a/i-1', conditions: [condition] },
      };
      await cluster.applyNodeClaim(launched);
      await cluster.applyNodeClaim(launched);
      expect(await cluster.listNodeClaims()).toMatchObject([launched]);
      const [object = launched] = await cluster.listNodeClaims();
      await cluster.patchNodeClaim(object, { annotations: { 'example.com/theirs': 'x' } });
      // An apply removes the labels that it omits, and keeps what others wrote.
      await cluster.applyNodeClaim({ ...launched, metadata: A_NODE_CLAIM.metadata });
      const [{ metadata } = launched] = await cluster.listNodeClaims();
      expect(metadata).toMatchObject({ annotations: { 'example.com/theirs': 'x' } });
      expect(metadata.labels ?? {}).toEqual(A_NODE_CLAIM.metadata.labels ?? {});
      await cluster.deleteNodeClaim('general-a');
      const [going] = await cluster.listNodeClaims();
      expect(going?.metadata.deletionTimestamp).toBeDefined();
      await cluster.removeNodeClaim('general-a');
      expect(await cluster.listNodeClaims()).toEqual([]);
      await cluster.removeNodeClaim('general-a');
      await cluster.deleteNodeClaim('general-a');
    });

    test('a mirror with a uid is not created again, and does not change another object of its name', async () => {
      await cluster.applyNodeClaim(A_NODE_CLAIM);
      const [first = A_NODE_CLAIM] = await cluster.listNodeClaims();
      const { uid = '' } = first.metadata;
      expect(uid).not.toBe('');
      const again = { ...A_NODE_CLAIM, metadata: { ...A_NODE_CLAIM.metadata, uid } };
      await cluster.applyNodeClaim(again);
      await cluster.removeNodeClaim('general-a');
      await expect(cluster.applyNodeClaim(again)).rejects.toBeInstanceOf(ConflictError);
      expect(await cluster.listNodeClaims()).toEqual([]);
      await cluster.applyNodeClaim(A_NODE_CLAIM);
      const other = { ...again.metadata, uid: '00000000-0000-4000-8000-000000000000' };
      await expect(cluster.applyNodeClaim({ ...again, metadata: other })).rejects.toBeInstanceOf(ConflictError);
    });
  });
}
