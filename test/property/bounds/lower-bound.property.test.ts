import fc from 'fast-check';
import { expect, test } from 'vitest';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { samples } from '../../samples.ts';

const RUN = { seed: 20_261_128, numRuns: samples(2_000) };
const SPOT_SHARE = 0.4;

interface Type {
  readonly cpu: number;
  readonly memoryGib: number;
  readonly cents: number;
}

interface Wanted {
  readonly halfCpus: number;
  readonly memoryGib: number;
  /** Whether it may only use on-demand nodes. */
  readonly isOnDemand: boolean;
}

const type = fc.record({
  cpu: fc.integer({ min: 4, max: 12 }),
  memoryGib: fc.integer({ min: 8, max: 40 }),
  cents: fc.integer({ min: 1, max: 30 }),
});
const wanted = fc.record({
  halfCpus: fc.integer({ min: 1, max: 8 }),
  memoryGib: fc.integer({ min: 1, max: 8 }),
  isOnDemand: fc.boolean(),
});

test('the lower bound is never above the price of the cheapest nodes, which are found by trying all of them', () => {
  let equal = 0;
  fc.assert(
    fc.property(
      fc.array(type, { minLength: 1, maxLength: 4 }),
      fc.array(wanted, { minLength: 1, maxLength: 6 }),
      (types, pods) => {
        const bound = boundOf(types, pods);
        const best = cheapest(types, pods);
        expect(bound).toBeLessThanOrEqual(best + 1e-6);
        if (bound > best - 1e-6) equal += 1;
      },
    ),
    RUN,
  );
  // The bound is not trivial.
  expect(equal).toBeGreaterThan(RUN.numRuns / 3);
});

function boundOf(types: readonly Type[], pods: readonly Wanted[]): number {
  const instanceTypes = types.map(({ cpu, memoryGib, cents }, at) => {
    const offerings = (['spot', 'on-demand'] as const).map((one) => anOffering('eu-west-3a', one, cents / 100));
    return anInstanceType({ name: `m${at}.large`, cpu, memoryGib, pods: 50, offerings });
  });
  const pending = pods.map(({ halfCpus, memoryGib, isOnDemand }, at) =>
    pendingPod({
      name: `pod-${at}`,
      requests: { cpu: String(halfCpus / 2), memory: `${memoryGib}Gi` },
      ...(isOnDemand ? { spec: { nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } } } : {}),
    }),
  );
  const snapshot = aSnapshot({ pods: pending, nodePools: [aPoolView({ types: instanceTypes })] });
  const { price } = provision(snapshot, { decisionId: 'd', nowMs: NOW_MS });
  if (price === undefined) throw new Error('no node is created');
  return price.lowerBoundUsdPerHour ?? 0;
}

/** The price of the cheapest partition of the pods into nodes. */
function cheapest(types: readonly Type[], pods: readonly Wanted[], nodes: readonly (readonly Wanted[])[] = []): number {
  const [first, ...others] = pods;
  if (first === undefined) return nodes.reduce((sum, node) => sum + priceOf(types, node), 0);
  const withFirst = nodes.map((node, at) => nodes.with(at, [...node, first]));
  return Math.min(...[...withFirst, [...nodes, [first]]].map((next) => cheapest(types, others, next)));
}

/** Infinity if no type holds the pods. */
function priceOf(types: readonly Type[], pods: readonly Wanted[]): number {
  const cpu = pods.reduce((sum, { halfCpus }) => sum + halfCpus / 2, 0);
  const memory = pods.reduce((sum, { memoryGib }) => sum + memoryGib, 0);
  const share = pods.some(({ isOnDemand }) => isOnDemand) ? 1 : SPOT_SHARE;
  const fitting = types.filter((one) => one.cpu >= cpu && one.memoryGib >= memory);
  return Math.min(...fitting.map(({ cents }) => (cents / 100) * share));
}
