import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../lib/apis/kubernetes.ts';
import { ownNomination } from '../../lib/core/cluster/nominated-node.ts';
import type { PodTarget } from '../../lib/core/model/decision.ts';
import type { ClusterHarness } from './cluster.ts';
import { aPod } from './cluster-objects.ts';

/** `nominatePod` of `lib/ports/cluster.ts` (B66). */
export function podNominationContract(name: string, make: () => Promise<ClusterHarness>): void {
  describe(`Cluster.nominatePod: ${name} (B66)`, () => {
    let harness: ClusterHarness;
    beforeEach(async () => {
      harness = await make();
    });
    afterEach(() => harness.close?.());

    const put = async (over: Partial<Pod> = {}): Promise<PodTarget> => {
      await harness.put({ kind: 'Pod', object: { ...aPod('web-1'), ...over } });
      return { namespace: 'default', name: 'web-1', uid: (await read()).metadata.uid ?? '' };
    };
    const read = async (): Promise<Pod> => {
      const [pod] = await harness.cluster.listPods();
      if (pod === undefined) throw new Error('there is no pod');
      return pod;
    };
    const nominatePod: ClusterHarness['cluster']['nominatePod'] = async (one) => harness.cluster.nominatePod(one);

    test('a nomination is written, replaced and removed, and can be distinguished from those of others', async () => {
      const pod = await put();
      expect(ownNomination(await read())).toBeUndefined();
      expect(await nominatePod({ pod, node: 'node-1' })).toBe(true);
      expect(ownNomination(await read())).toBe('node-1');
      expect(ownNomination((await harness.cluster.listUnboundPods())[0] ?? aPod('none'))).toBe('node-1');
      expect(await nominatePod({ pod, before: 'node-1', node: 'node-2' })).toBe(true);
      expect(ownNomination(await read())).toBe('node-2');
      expect(await nominatePod({ pod, before: 'node-2' })).toBe(true);
      const { status } = await read();
      expect(status?.nominatedNodeName).toBeUndefined();
      expect(status?.phase).toBe('Pending');
    });

    test('the nomination of another component is not replaced', async () => {
      const pod = await put({ status: { phase: 'Pending', nominatedNodeName: 'node-9' } });
      expect(await nominatePod({ pod, node: 'node-1' })).toBe(false);
      const after = await read();
      expect(after.status?.nominatedNodeName).toBe('node-9');
      expect(ownNomination(after)).toBeUndefined();
    });

    test('a nomination that has changed since it was read is not replaced', async () => {
      const pod = await put();
      await nominatePod({ pod, node: 'node-1' });
      expect(await nominatePod({ pod, before: 'node-2', node: 'node-3' })).toBe(false);
      expect(await nominatePod({ pod, node: 'node-3' })).toBe(false);
      expect(ownNomination(await read())).toBe('node-1');
    });

    test('a pod with a node, another pod with the name, and a pod that does not exist are left alone', async () => {
      const pod = await put(aPod('web-1', { nodeName: 'node-1' }));
      expect(await nominatePod({ pod, node: 'node-1' })).toBe(false);
      const other = { ...pod, uid: '00000000-0000-0000-0000-000000000000' };
      expect(await nominatePod({ pod: other, node: 'node-1' })).toBe(false);
      expect(await nominatePod({ pod: { ...pod, name: 'missing' }, node: 'node-1' })).toBe(false);
      expect((await read()).status?.nominatedNodeName).toBeUndefined();
    });
  });
}
