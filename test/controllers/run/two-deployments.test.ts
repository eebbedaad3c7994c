/** Two deployments of Kerf for one cluster: their tables, functions and queues are apart, the cluster and EC2 are the same. */
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { guarded } from '../../../lib/controllers/run/guard.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { withFaults } from '../../../lib/simulator/faults.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { expectAllGone, expectOneInstanceAClaim, launchedFor, live, SMALL_CATALOGUE } from '../life.ts';

/** Without an interruption, whose pods a run may place on one node or on several. */
const CALM = {
  name: 'calm',
  events: [{ kind: 'scale', atMs: 15 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
} as const;

const SEEDS = [1, 2, 3, 4, 5, 6];

/** Notes every call of the ports. */
function watching(calls: { readonly method: string; readonly args: readonly unknown[] }[]) {
  return (ports: ControllerPorts): ControllerPorts =>
    withFaults(ports, (call) => {
      calls.push(call);
      return undefined;
    });
}

const WRITES = /^cloud\.(launch|terminate|tag)|^cluster\.(patch|delete|evict|apply|remove)/;

/** The claim of the first deployment is deleted nine minutes after the start, and this deployment takes the cluster. */
function takeOver(ports: ControllerPorts): ControllerPorts {
  const endMs = ports.clock.now() + 9 * MINUTE_MS;
  return {
    ...ports,
    cluster: {
      ...ports.cluster,
      findOtherAutoscalers: async () => {
        const { claim: _, ...traces } = await ports.cluster.findOtherAutoscalers();
        return ports.clock.now() < endMs ? { ...traces, claim: { deployment: 'first', isOwn: false } } : traces;
      },
      claimCluster: async () => await Promise.resolve({ deployment: 'second', isOwn: true }),
    },
  };
}

describe('two deployments of Kerf for one cluster', () => {
  test('act as one: the second launches, adopts and changes nothing', async () => {
    const calls: { readonly method: string; readonly args: readonly unknown[] }[] = [];
    const alone = await live({ catalogue: SMALL_CATALOGUE });
    const both = await live({ catalogue: SMALL_CATALOGUE, secondDeployment: { wrapPorts: watching(calls) } });
    expect(launchedFor(both)).toHaveLength(launchedFor(alone).length);
    expectOneInstanceAClaim(both);
    expectAllGone(both);
    expect(calls.map(({ method }) => method)).toContain('store.setStandby');
    const wrote = calls.filter(({ method }) => WRITES.test(method) || method === 'store.createNodeClaim');
    expect(wrote).toEqual([]);
    expect(both.timeline.filter((entry) => entry.kind === 'blocked').map(({ reason }) => reason)).toContain(
      'OtherDeploymentActive',
    );
  });

  test.each(SEEDS)('launch one instance for pods even if both start at the same time (seed %i)', async (seed) => {
    const instances: string[] = [];
    const adopted = (ports: ControllerPorts): ControllerPorts =>
      withFaults(ports, ({ method, args }) => {
        if (method === 'store.createNodeClaim' && JSON.stringify(args).includes('"i-'))
          instances.push(JSON.stringify(args));
        return undefined;
      });
    const result = await live({
      seed,
      catalogue: SMALL_CATALOGUE,
      scenario: CALM,
      wrapPorts: adopted,
      secondDeployment: { holder: 'none', wrapPorts: adopted },
    });
    expect(launchedFor(result), 'one node has space for all pods').toHaveLength(1);
    expect(instances, 'no instance is adopted').toEqual([]);
    expectOneInstanceAClaim(result);
    expect(result).toMatchObject({ nodesAtEnd: 0, podsPending: [] });
  });

  test('serve the cluster by the one that holds it, whichever it is', async () => {
    const calls: { readonly method: string; readonly args: readonly unknown[] }[] = [];
    const result = await live({
      catalogue: SMALL_CATALOGUE,
      wrapPorts: watching(calls),
      secondDeployment: { holder: 'second' },
    });
    expectAllGone(result);
    expect(calls.filter(({ method }) => WRITES.test(method))).toEqual([]);
  });

  test('may be a live one and one in shadow, which writes nothing and is not on standby', async () => {
    const calls: { readonly method: string; readonly args: readonly unknown[] }[] = [];
    const settings = { ...DEFAULT_SETTINGS, shadow: true };
    const second = { settings, wrapPorts: watching(calls) };
    const result = await live({ catalogue: SMALL_CATALOGUE, secondDeployment: second });
    expectAllGone(result);
    const methods = calls.map(({ method }) => method);
    expect(methods).toContain('store.recordShadow');
    expect(methods.filter((method) => WRITES.test(method) || method === 'store.setStandby')).toEqual([]);
  });

  test('change over when the claim of the first is deleted, and the second adopts its nodes', async () => {
    let deletedAtMs: number | undefined;
    const handOver = (ports: ControllerPorts): ControllerPorts => {
      const endMs = ports.clock.now() + 8 * MINUTE_MS;
      return {
        ...ports,
        cluster: {
          ...ports.cluster,
          findOtherAutoscalers: async () => {
            const traces = await ports.cluster.findOtherAutoscalers();
            if (ports.clock.now() < endMs) return traces;
            deletedAtMs ??= ports.clock.now();
            return { ...traces, claim: { deployment: 'second', isOwn: false } };
          },
        },
      };
    };
    const result = await live({
      catalogue: SMALL_CATALOGUE,
      wrapPorts: handOver,
      secondDeployment: { wrapPorts: takeOver },
    });
    expect(deletedAtMs).toBeDefined();
    expectOneInstanceAClaim(result);
    expect(result).toMatchObject({ nodesAtEnd: 0, podsRunning: 0, podsPending: [] });
  });
});

/** A run of lifecycle in a cluster without a claim, where this function answers the claim. */
async function runWith(claimCluster: ControllerPorts['cluster']['claimCluster']) {
  let seen: ControllerPorts | undefined;
  await live({
    catalogue: SMALL_CATALOGUE,
    durationMs: MINUTE_MS,
    wrapPorts: (ports) => (seen = ports),
  });
  if (seen === undefined) throw new Error('the simulation has no ports');
  const { claim: _, ...traces } = await seen.cluster.findOtherAutoscalers();
  const cluster = { ...seen.cluster, findOtherAutoscalers: async () => traces, claimCluster };
  const wake = { cluster: 'demo', reason: 'tick', sentAtMs: 0 };
  return await guarded('lifecycle', async () => aRunReport())({ ...seen, cluster }, wake);
}

describe('a run of lifecycle in a cluster without a claim', () => {
  test('claims it and continues', async () => {
    let claims = 0;
    const ran = await runWith(async () => {
      claims += 1;
      return await Promise.resolve({ deployment: 'own', isOwn: true });
    });
    expect([claims, ran.gauges]).toEqual([1, { StoodDown: 0 }]);
  });

  test('is on standby if another deployment was faster', async () => {
    const ran = await runWith(async () => await Promise.resolve({ deployment: 'other', isOwn: false }));
    expect(ran.gauges).toEqual({ StoodDown: 1 });
  });

  test('continues and reports it if Kerf may not claim it', async () => {
    const ran = await runWith(async () => await Promise.reject(new RefusedError('403')));
    expect(ran.gauges).toEqual({ StoodDown: 0 });
    expect(ran.failures.map(({ message }) => message)).toEqual(['failed to claim the cluster: 403']);
  });
});
