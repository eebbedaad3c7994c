import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { INITIALIZED, REGISTERED } from '../../../lib/apis/labels.ts';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { NodePatch } from '../../../lib/core/model/node-patch.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { withFaults } from '../../../lib/simulator/faults.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { expectAllGone, launchedFor, live, SMALL_CATALOGUE } from '../life.ts';

const EVENTS: readonly ScenarioEvent[] = [
  { kind: 'scale', atMs: 40 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
];

async function liveWith(wrapPorts: (ports: ControllerPorts) => ControllerPorts): Promise<SimulationResult> {
  return live({ catalogue: SMALL_CATALOGUE, scenario: { name: 'joining', events: EVENTS }, wrapPorts });
}

/** The times of the deletions by reason, in seconds since the start. */
function deletions(result: SimulationResult): readonly { readonly reason: string; readonly at: number }[] {
  return result.timeline.flatMap((entry) =>
    entry.kind === 'delete-node-claim' ? [{ reason: entry.reason, at: entry.at }] : [],
  );
}

/** An admission webhook that refuses this label on the first node. */
function refusesFirstNode(ports: ControllerPorts, label: string): ControllerPorts {
  let refused: string | undefined;
  return {
    ...ports,
    cluster: {
      ...ports.cluster,
      patchNode: async (target, patch) => {
        refused ??= target.name;
        if (target.name === refused && patch.labels?.[label] !== undefined)
          throw new RefusedError(`admission webhook denied the request for ${target.name}`);
        return ports.cluster.patchNode(target, patch);
      },
    },
  };
}

test('a node whose registration is refused for ever is replaced after the registration timeout (D8)', async () => {
  const result = await liveWith((ports) => refusesFirstNode(ports, REGISTERED));
  const [first] = deletions(result);
  expect(first?.reason).toBe('registration_timeout');
  expect(first?.at).toBeGreaterThanOrEqual(15 * 60);
  expect(first?.at).toBeLessThan(17 * 60);
  expect(launchedFor(result)).toHaveLength(2);
  expectAllGone(result);
});

test('a node whose registration is accepted and removed each time is replaced too, without a loop', async () => {
  let first: string | undefined;
  let writes = 0;
  const result = await liveWith((ports) => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      patchNode: async (target, patch) => {
        first ??= target.name;
        if (target.name !== first || patch.labels?.[REGISTERED] === undefined)
          return ports.cluster.patchNode(target, patch);
        writes += 1;
        const { [REGISTERED]: _removed, ...labels } = patch.labels;
        return ports.cluster.patchNode(target, { ...patch, labels });
      },
    },
  }));
  const [deleted] = deletions(result);
  expect(deleted?.reason).toBe('node_lost');
  expect(deleted?.at).toBeLessThan(18 * 60);
  expect(writes).toBeLessThan(60);
  expect(launchedFor(result)).toHaveLength(2);
  expectAllGone(result);
});

/** Five minutes after the start, the first node disappears from the cluster although its instance runs. */
function losesANode(ports: ControllerPorts, returnsAfterMs = Infinity): ControllerPorts {
  const lostAtMs = ports.clock.now() + 5 * MINUTE_MS;
  let lost: string | undefined;
  let isNew = true;
  return {
    ...ports,
    cluster: {
      ...ports.cluster,
      listNodes: async () => {
        const nodes = await ports.cluster.listNodes();
        const nowMs = ports.clock.now();
        if (nowMs < lostAtMs) return nodes;
        lost ??= nodes[0]?.metadata.name;
        if (nowMs < lostAtMs + returnsAfterMs) return nodes.filter(({ metadata }) => metadata.name !== lost);
        if (!isNew) return nodes;
        // The kubelet creates a new Node object without Kerf's labels.
        isNew = false;
        await ports.cluster.patchNode({ name: lost ?? '' }, { labels: { [REGISTERED]: null }, finalizers: [] });
        return ports.cluster.listNodes();
      },
    },
  };
}

test('D4: a NodeClaim gets the labels of its instance with the write that shows its registration, and keeps them', async () => {
  const shown = new Map<string, readonly NodeClaim[]>();
  const result = await liveWith((ports) => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      applyNodeClaim: async (nodeClaim) => {
        const { name } = nodeClaim.metadata;
        shown.set(name, [...(shown.get(name) ?? []), nodeClaim]);
        return ports.cluster.applyNodeClaim(nodeClaim);
      },
    },
  }));
  expectAllGone(result);
  expect(shown.size).toBeGreaterThan(0);
  for (const writes of shown.values()) {
    const [registered, ...later] = writes.slice(writes.findIndex(isShownRegistered));
    expect(registered?.metadata.labels).toMatchObject({
      'kubernetes.io/arch': 'arm64',
      'karpenter.k8s.aws/instance-cpu': expect.stringMatching(/^\d+$/),
      'karpenter.k8s.aws/instance-category': expect.any(String),
    });
    for (const { metadata } of later) expect(metadata.labels).toMatchObject(registered?.metadata.labels ?? {});
    // Each write changes the status or an annotation, so none is for the labels alone.
    const others = writes.map(({ metadata, status }) => JSON.stringify([metadata.annotations, status]));
    for (const [index, other] of others.entries()) expect(other).not.toBe(others[index - 1]);
  }
});

function isShownRegistered({ status }: NodeClaim): boolean {
  return status?.conditions?.some((one) => one.type === 'Registered' && one.status === 'True') === true;
}

test('a claim whose initialized node disappeared and does not return is deleted after 15 minutes', async () => {
  const result = await liveWith(losesANode);
  const [first] = deletions(result);
  expect(first?.reason).toBe('node_lost');
  expect(first?.at).toBeGreaterThanOrEqual(20 * 60);
  expect(first?.at).toBeLessThan(22 * 60);
  expectAllGone(result);
});

test('an initialized node that disappeared and was created again by its kubelet is registered again', async () => {
  let again = 0;
  const result = await liveWith((ports) => {
    const losing = losesANode(ports, 3 * MINUTE_MS);
    const startMs = ports.clock.now();
    return {
      ...losing,
      cluster: {
        ...losing.cluster,
        patchNode: async (target, patch) => {
          const isRegistration = patch.labels?.[REGISTERED] === 'true';
          if (isRegistration && ports.clock.now() > startMs + 8 * MINUTE_MS - SECOND_MS) again += 1;
          return ports.cluster.patchNode(target, patch);
        },
      },
    };
  });
  expect(again).toBe(1);
  expect(deletions(result).map(({ reason }) => reason)).not.toContain('node_lost');
  expect(launchedFor(result)).toHaveLength(1);
  expectAllGone(result);
});

test('a node whose initialization is refused for ever is replaced after the limit of the cluster', async () => {
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'joining', events: EVENTS },
    settings: { ...DEFAULT_SETTINGS, initializationTimeoutMs: 10 * MINUTE_MS },
    wrapPorts: (ports) => refusesFirstNode(ports, INITIALIZED),
  });
  const [first] = deletions(result);
  expect(first?.reason).toBe('initialization_timeout');
  expect(first?.at).toBeGreaterThanOrEqual(10 * 60);
  expect(first?.at).toBeLessThan(13 * 60);
  expectAllGone(result);
});

test('a node that joins without a catalogue, as after the table was restored, is initialized with the labels of its type', async () => {
  const patches: NodePatch[] = [];
  let isLost = false;
  const result = await liveWith((ports) => ({
    ...ports,
    cloud: {
      ...ports.cloud,
      launch: async (request) => {
        isLost = true;
        return ports.cloud.launch(request);
      },
    },
    catalogue: {
      ...ports.catalogue,
      readCatalogue: async () => (isLost ? undefined : ports.catalogue.readCatalogue()),
    },
    messages: {
      ...ports.messages,
      wake: async (target, wake, delayMs) => {
        if (target === 'catalogue' && wake.reason === 'missing' && patches.length > 0) isLost = false;
        return ports.messages.wake(target, wake, delayMs);
      },
    },
    cluster: {
      ...ports.cluster,
      patchNode: async (target, patch) => {
        patches.push(patch);
        return ports.cluster.patchNode(target, patch);
      },
    },
  }));
  const MEMORY = 'karpenter.k8s.aws/instance-memory';
  expect(patches.find(({ labels }) => labels?.[REGISTERED] === 'true')?.labels).not.toHaveProperty([MEMORY]);
  expect(patches.find(({ labels }) => labels?.[INITIALIZED] === 'true')?.labels).toHaveProperty([MEMORY]);
  expectAllGone(result);
});

test('the pods of a node that disappeared get another node at once, although provisioning runs before the loss is recorded (B1)', async () => {
  const lostAtMs = 5 * MINUTE_MS + 5 * SECOND_MS;
  const fault = { kind: 'fault', atMs: lostAtMs, forMs: 20 * SECOND_MS } as const;
  const slow = { kind: 'calls-slow', calls: ['store.updateNodeClaim'], upToMs: 9 * SECOND_MS, percent: 100 } as const;
  const lost = { kind: 'fault', atMs: lostAtMs, forMs: 10 * MINUTE_MS } as const;
  const events: readonly ScenarioEvent[] = [
    { ...fault, fault: slow },
    { ...lost, fault: { kind: 'by-hand', what: 'lose-node', nth: 0 } },
  ];
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'lost', events },
    durationMs: 8 * MINUTE_MS,
  });
  const created = result.timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? [entry.at] : []));
  expect(created).toHaveLength(2);
  expect(created[1]).toBeLessThan(lostAtMs / SECOND_MS + 20);
});

const LAUNCHED_MS = 30 * SECOND_MS;

test.each([0, 1])(
  'D1: after 17 minutes in which lifecycle cannot read nodes, %i of whose next writes are lost, each node that waits is registered',
  async (lostWrites) => {
    let startMs: number | undefined;
    let lost = 0;
    const result = await live({
      catalogue: SMALL_CATALOGUE,
      scenario: { name: 'outage', events: EVENTS },
      wrapInvocation: (ports, invocation) =>
        withFaults(ports, ({ method }) => {
          startMs ??= ports.clock.now();
          const sinceMs = ports.clock.now() - startMs;
          if (invocation.function !== 'lifecycle' || sinceMs < LAUNCHED_MS) return undefined;
          if (method === 'cluster.listNodes' && sinceMs < LAUNCHED_MS + 17 * MINUTE_MS) return 'before';
          if (method !== 'cluster.patchNode' || lost >= lostWrites) return undefined;
          lost += 1;
          return 'before';
        }),
    });
    expect(lost).toBe(lostWrites);
    expect(deletions(result).filter(({ at }) => at < 40 * 60)).toEqual([]);
    expect(launchedFor(result)).toHaveLength(1);
    expectAllGone(result);
  },
);
