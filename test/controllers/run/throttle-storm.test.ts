import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { CallLimits } from '../../../lib/core/call-budget/token-bucket.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { type PortCall, withDelays } from '../../../lib/simulator/faults.ts';
import { type Random, randomFrom } from '../../../lib/simulator/random.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { memoryCallBudget } from '../../fakes/memory-call-budget.ts';
import { samplesOf } from '../../samples.ts';
import { expectAllGone, expectOneInstanceAClaim, launchedFor, live } from '../life.ts';

const LIMITS: CallLimits = { capacity: 5, perSecond: 1 };
const STORM_MS = MINUTE_MS;

/** Calls of other services, and calls of the catalogue function. */
const NOT_EC2 = new Set(['cloud.describeCatalogue', 'cloud.shiftedZones', 'cloud.autoMode']);
/** The starts of the storms: with the first pods, and when all pods are deleted. */
const STORMS_AT_MS = [0, 15 * MINUTE_MS];

interface Counted {
  /** The times of all calls, throttled ones included, by API. */
  readonly calls: Map<string, number[]>;
  throttled: number;
  held: number;
}

/** EC2 throttles nine of ten calls during a storm. Functions share a call budget, as in the table. */
function inStorms(ports: ControllerPorts, random: Random, counted: Counted): ControllerPorts {
  const startMs = ports.clock.now();
  const budget = memoryCallBudget(() => LIMITS, ports.clock);
  return withDelays(ports, async ({ method }: PortCall) => {
    if (!method.startsWith('cloud.') || NOT_EC2.has(method)) return;
    const atMs = ports.clock.now() - startMs;
    const grant = await budget.take(method);
    if (grant.kind === 'wait') {
      counted.held += 1;
      throw new UnreachableError(`${method} is held back`);
    }
    counted.calls.set(method, [...(counted.calls.get(method) ?? []), atMs]);
    const storms = STORMS_AT_MS.some((fromMs) => atMs >= fromMs && atMs < fromMs + STORM_MS);
    if (!storms || random.between(0, 10) === 0) return;
    counted.throttled += 1;
    await budget.throttled(method);
    throw new UnreachableError(`${method}: RequestLimitExceeded`);
  });
}

/** A dozen pods on nodes with at most two CPUs, so that each pod has a claim. */
const manyNodes = someManifests({
  nodePools: [aPool()].map((pool) => ({
    ...pool,
    spec: {
      ...pool.spec,
      template: {
        ...pool.spec.template,
        spec: {
          ...pool.spec.template.spec,
          requirements: [
            ...(pool.spec.template.spec.requirements ?? []),
            { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt' as const, values: ['3'] },
          ],
        },
      },
    },
  })),
  deployments: [aDeployment('web', 12)],
});

test.each(samplesOf([1, 2, 3], 1))(
  'if EC2 throttles nine of ten calls for a minute, twice, every claim gets one instance and every instance is terminated (seed %i)',
  async (seed) => {
    const counted: Counted = { calls: new Map(), throttled: 0, held: 0 };
    const result = await live({
      manifests: manyNodes,
      seed,
      invocations: 2,
      wrapPorts: (ports) => inStorms(ports, randomFrom(seed), counted),
    });
    expect(counted.throttled, 'the storm was felt').toBeGreaterThan(10);
    expectOneInstanceAClaim(result);
    expect(launchedFor(result).length).toBeGreaterThan(10);
    expectAllGone(result);
    for (const [method, times] of counted.calls) expectBounded(method, times);
  },
);

/** During a storm the rate is halved every two seconds, so that a minute has few calls after the first burst. */
function expectBounded(method: string, times: readonly number[]): void {
  for (const fromMs of STORMS_AT_MS) {
    const inStorm = times.filter((atMs) => atMs >= fromMs && atMs < fromMs + STORM_MS);
    expect(inStorm.length, `${method} in the storm at ${fromMs}`).toBeLessThan(LIMITS.capacity + 13);
  }
}
