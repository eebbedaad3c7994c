import fc from 'fast-check';
import type { RawSnapshot } from '../../parity/verifier/raw-documents.ts';
import { randomSnapshot } from './random-snapshot.ts';

type RawPod = NonNullable<RawSnapshot['pods']>[number];
type RawNodePool = NonNullable<RawSnapshot['nodePools']>[number];

/** Random snapshots with up to a few hundred pending pods: copies of those of `randomSnapshot`, and limits that are larger in proportion. */
export const largeSnapshot: fc.Arbitrary<RawSnapshot> = fc
  .record({
    snapshot: randomSnapshot,
    copies: fc.integer({ min: 10, max: 40 }),
    // Otherwise topology rules or limits affect nearly every snapshot.
    isPlain: fc.constantFrom(true, true, false),
    step: fc.constantFrom(1, 3, 7, 11),
  })
  .map(({ snapshot, copies, isPlain, step }) => ({
    ...snapshot,
    pods: (snapshot.pods ?? []).flatMap((pod, index) => {
      // Pods with volumes are not copied, because they share the claims of their volumes.
      if (pod.spec.nodeName !== undefined || (pod.spec.volumes ?? []).length > 0) return [pod];
      return Array.from({ length: copies }, (_, at) => {
        const copy = isPlain ? plain(pod, index + at * step) : pod;
        return { ...copy, metadata: { ...copy.metadata, name: `${pod.metadata.name}-${at}` } };
      });
    }),
    nodePools: (snapshot.nodePools ?? []).map((pool) => withLimits(pool, copies)),
  }));

const CPU = ['100m', '250m', '450m', '1', '1700m', '3'];
const MEMORY = ['100Mi', '400Mi', '900Mi', '2100Mi', '5Gi'];

/** A pod with the labels, node selector and tolerations of this one, and other requests. */
function plain({ metadata, spec }: RawPod, index: number): RawPod {
  const requests = { cpu: CPU[index % CPU.length], memory: MEMORY[index % MEMORY.length] };
  const { nodeSelector, tolerations } = spec;
  const containers = [{ name: 'main', resources: { requests } }];
  return { metadata, spec: JSON.parse(JSON.stringify({ containers, nodeSelector, tolerations })) };
}

function withLimits(pool: RawNodePool, copies: number): RawNodePool {
  const { limits } = pool.spec;
  if (limits === undefined) return pool;
  const larger = Object.entries(limits).map(([name, amount]) => {
    const [, number = '0', unit = ''] = /^(\d+)(\w*)$/.exec(String(amount)) ?? [];
    return [name, `${Number(number) * copies}${unit}`] as const;
  });
  return { ...pool, spec: { ...pool.spec, limits: Object.fromEntries(larger) } };
}
