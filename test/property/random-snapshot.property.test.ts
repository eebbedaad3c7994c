import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RawSnapshot } from '../parity/verifier/raw-documents.ts';
import { verifyPlan } from '../parity/verifier/verify-plan.ts';
import { randomSnapshot } from './random/random-snapshot.ts';

/** Tests the random snapshots: each kind of rule occurs in them, and the verifier reads them. */

const SAMPLE = fc.sample(randomSnapshot, { numRuns: 400, seed: 5 });

const FEATURES: readonly { readonly feature: string; readonly found: RegExp }[] = [
  { feature: 'weights', found: /"weight":20/ },
  { feature: 'limits of nodes', found: /"limits":\{"nodes"/ },
  { feature: 'minValues', found: /"minValues":3/ },
  { feature: 'startup taints', found: /"startupTaints":\[\{"key":"boot"/ },
  { feature: 'offerings without capacity', found: /"available":false/ },
  { feature: 'GPUs', found: /"requests":\{[^}]*"nvidia.com\/gpu"/ },
  { feature: 'sidecars', found: /"restartPolicy":"Always"/ },
  { feature: 'pod overhead', found: /"overhead":\{"cpu":"150m"/ },
  {
    feature: 'alternatives of required node affinity',
    found: /"nodeSelectorTerms":\[\{"matchExpressions":\[[^\]]*\]*\}[^\]]*\]\},\{/,
  },
  { feature: 'preferred node affinity', found: /"preference":\{/ },
  { feature: 'preferred pod affinity', found: /"podAffinityTerm":\{/ },
  { feature: 'spread over a key of the pool', found: /"topologyKey":"tier","maxSkew"/ },
  { feature: 'minDomains', found: /"minDomains":3/ },
  { feature: 'matchLabelKeys', found: /"matchLabelKeys":\["hash"\]/ },
  { feature: 'nodeAffinityPolicy', found: /"nodeAffinityPolicy":"Ignore"/ },
  { feature: 'nodeTaintsPolicy', found: /"nodeTaintsPolicy":"Honor"/ },
  { feature: 'namespace selectors', found: /"namespaceSelector":\{"matchLabels"/ },
  { feature: 'host ports with an address', found: /"hostIP":"10.0.0.1"/ },
  { feature: 'bound volumes', found: /"volumeName":/ },
  { feature: 'ephemeral volumes', found: /"volumeClaimTemplate"/ },
  { feature: 'limits of volumes', found: /"allocatable":\{"count":1\}/ },
  { feature: 'pods that are going', found: /"deletionTimestamp":"2026-01-01T00:20/ },
  { feature: 'nodes that are going', found: /"deletionTimestamp":"2026-01-01T00:10/ },
  { feature: 'daemons with a host port', found: /"daemon-1"\}.*"hostPort":80/ },
];

describe('random snapshots', () => {
  test.each(FEATURES)('$feature occur in at least one of a hundred', ({ found }) => {
    const those = SAMPLE.filter((snapshot) => found.test(JSON.stringify(snapshot)));
    expect(those.length).toBeGreaterThanOrEqual(SAMPLE.length / 100);
  });

  test('claims in flight occur, with a starting node and without a node', () => {
    const inFlight = SAMPLE.filter(({ nodes = [], nodeClaims = [] }) => nodeClaims.length > nodes.length);
    const starting = SAMPLE.filter(({ nodes = [] }) =>
      nodes.some(({ spec }) => spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready')),
    );
    expect(Math.min(inFlight.length, starting.length)).toBeGreaterThan(SAMPLE.length / 50);
  });

  test('the sizes are within their documented limits', () => {
    for (const snapshot of SAMPLE) {
      expect(pendingOf(snapshot).length).toBeGreaterThanOrEqual(1);
      expect(pendingOf(snapshot).length).toBeLessThanOrEqual(25);
      expect(snapshot.nodes?.length).toBeLessThanOrEqual(4);
    }
  });

  test('a plan that places nothing breaks no rule', () => {
    fc.assert(
      fc.property(randomSnapshot, (snapshot) => {
        const podErrors = Object.fromEntries(pendingOf(snapshot).map((pod) => [pod, 'not tried']));
        expect(verifyPlan(snapshot, { newNodeClaims: [], existing: [], podErrors, totalHourlyPrice: 0 })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('a property that always fails shrinks to one pod, one pool and four types', () => {
    const { counterexample } = fc.check(
      fc.property(randomSnapshot, ({ pods = [] }) => pods.length === 0),
      { seed: 1 },
    );
    const [least] = counterexample ?? [];
    expect([least?.pods?.length, least?.nodePools?.length, least?.instanceTypes?.length]).toEqual([1, 1, 4]);
    expect([least?.nodes, least?.daemonSets]).toEqual([[], []]);
  });
});

function pendingOf({ pods = [] }: RawSnapshot): readonly string[] {
  return pods
    .filter(({ spec }) => spec.nodeName === undefined)
    .map(({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`);
}
