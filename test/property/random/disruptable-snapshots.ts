import fc from 'fast-check';
import type { RawSnapshot } from '../../parity/verifier/raw-documents.ts';
import { randomSnapshot } from './random-snapshot.ts';

const disruption = fc.record({
  consolidateAfter: fc.constant('0s'),
  consolidationPolicy: fc.constantFrom('WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized', 'Balanced'),
  budgets: fc.constantFrom('100%', '100%', '50%', '1').map((nodes) => [{ nodes }]),
});

/** Random snapshots whose nodes may be disrupted at once. No pods are pending, and no nodes are being deleted, so only commands move pods. */
export const disruptableSnapshots = fc
  .record({ snapshot: randomSnapshot, disruption, spotToSpotConsolidation: fc.boolean() })
  .map(({ snapshot, disruption: chosen, spotToSpotConsolidation }): RawSnapshot => {
    const options = { ...snapshot.options, spotToSpotConsolidation };
    const nodes = (snapshot.nodes ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    return {
      ...snapshot,
      options,
      nodes,
      nodeClaims: (snapshot.nodeClaims ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      pods: (snapshot.pods ?? []).filter(({ spec }) => names.has(spec.nodeName ?? '')),
      nodePools: (snapshot.nodePools ?? []).map((pool) => ({ ...pool, spec: { ...pool.spec, disruption: chosen } })),
    };
  });
