import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import type { WrapInvocation } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { around } from '../../../lib/simulator/faults.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** Thirty pods that each fill a node. */
const CROWD = {
  catalogue: SMALL_CATALOGUE,
  manifests: someManifests({ deployments: [aDeployment('web', 30, '30')] }),
  scenario: { name: 'crowd', events: [] },
  durationMs: 5 * MINUTE_MS,
} as const;

/** Counts the calls of each invocation of lifecycle, by method. */
function counting() {
  const counts = new Map<string, number>();
  const wrapInvocation: WrapInvocation = (ports, { function: name, nth }) => {
    if (name !== 'lifecycle') return ports;
    return around(ports, async ({ method }, go) => {
      const key = `${nth} ${method}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return go();
    });
  };
  const most = (method: string): number =>
    Math.max(0, ...[...counts].flatMap(([key, count]) => (key.endsWith(` ${method}`) ? [count] : [])));
  return { wrapInvocation, most };
}

test('claims that are launched and registered in parallel share one read of common data', async () => {
  const { wrapInvocation, most } = counting();
  const result = await live({ ...CROWD, wrapInvocation });
  expect(result).toMatchObject({ nodesLaunched: 30, podsRunning: 30 });
  expect(most('catalogue.readCatalogue')).toBe(1);
  expect(most('catalogue.listLearnedMemory')).toBe(1);
  // Once for the launches, and in a tick once for the status of the NodeClass.
  expect(most('cloud.resolveNodeClass')).toBe(2);
});

test('a shared read that fails is repeated, and every pod gets its node', async () => {
  let failures = 0;
  const result = await live({
    ...CROWD,
    wrapInvocation: (ports, { function: name }) => {
      if (name !== 'lifecycle') return ports;
      return around(ports, async ({ method }, go) => {
        const isShared = method === 'catalogue.readCatalogue' || method === 'cloud.resolveNodeClass';
        if (!isShared || failures >= 3) return go();
        failures += 1;
        throw new UnreachableError(`no answer to ${method}`);
      });
    },
  });
  expect(failures).toBe(3);
  expect(result).toMatchObject({ nodesLaunched: 30, podsRunning: 30 });
});

/** Each invocation of the function makes the first call only after it has begun the second one. */
function waiting(name: string, first: string, second: string): WrapInvocation {
  return (ports, invocation) => {
    if (invocation.function !== name) return ports;
    const begun = Promise.withResolvers<void>();
    return around(ports, async ({ method }, go) => {
      if (method === second) begun.resolve();
      if (method === first) await begun.promise;
      return go();
    });
  };
}

const SHORT = { ...CROWD, manifests: someManifests({ deployments: [aDeployment('web', 3, '30')] }) };
const IDLE = { kind: 'scale', atMs: MINUTE_MS, deployment: 'default/web', replicas: 0 } as const;

test.each([
  ['instance types', 'catalogue.readCatalogue'],
  ['CapacityBuffers', 'cluster.listCapacityBuffers'],
])('provisioning reads namespaces while it reads %s', async (_, method) => {
  const wrapInvocation = waiting('provisioning', method, 'cluster.listNamespaces');
  expect(await live({ ...SHORT, wrapInvocation })).toMatchObject({ podsRunning: 3 });
});

test('namespaces are read after the pods, which may be in new namespaces', async () => {
  const wrapInvocation = waiting('provisioning', 'cluster.listPods', 'cluster.listNamespaces');
  expect(await live({ ...SHORT, wrapInvocation })).toMatchObject({ podsRunning: 0 });
});

test('disruption reads what it remembers of its passes while it reads the pods', async () => {
  const scenario = { name: 'idle', events: [IDLE] };
  const under = { ...SHORT, scenario, durationMs: 10 * MINUTE_MS };
  const wrapInvocation = waiting('disruption', 'cluster.listPods', 'store.readPassMemory');
  expect(await live({ ...under, wrapInvocation })).toMatchObject({ nodesLaunched: 3, nodesAtEnd: 0 });
});
