import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import { podKey } from '../../lib/apis/kubernetes.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { around, type PortCall } from '../../lib/simulator/faults.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { asking } from '../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';
import { samples } from '../samples.ts';

const VOLLEY_AT_MS = 3 * MINUTE_MS;
/** EventBridge delivers the warnings of a volley within this time. */
const VOLLEY_MS = 10 * SECOND_MS;

/** One pod a node: the types of the pool have two CPUs. */
function manyNodes(count: number): SimulationInput['manifests'] {
  const pool = aPool();
  const { template } = pool.spec;
  const requirements = [...template.spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
  const small = { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  return someManifests({ nodePools: [{ ...pool, spec: small }], deployments: [aDeployment('web', count)] });
}

/** What happened to the interrupted instances. *Units:* ms after the warning of the instance, by NodeClaim or by pod. */
interface Volley {
  readonly simulation: OpenSimulation;
  readonly deleted: ReadonlyMap<string, number>;
  readonly evicted: ReadonlyMap<string, number>;
  /** The number of invocations since the first warning, by function. */
  readonly invocations: ReadonlyMap<string, number>;
}

interface Hang {
  /** @default no call hangs */
  readonly hangsMs?: (call: PortCall, sinceMs: number) => number;
  /** @default ten seconds */
  readonly volleyMs?: number;
}

/** Interrupts all nodes of a cluster, and plays it to the end. Both functions are asked with the time since the first warning. */
async function playVolley(
  count: number,
  isRefused: (call: PortCall, sinceMs: number) => boolean = () => false,
  { hangsMs = () => 0, volleyMs = VOLLEY_MS }: Hang = {},
): Promise<Volley> {
  const warnedAtMs = new Map<string, number>();
  const [deleted, evicted, invocations] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const since = (key: string): number | undefined => {
    const atMs = warnedAtMs.get(key);
    return atMs === undefined ? undefined : simulation.timetable.now() - atMs;
  };
  const noteFirst = (notes: Map<string, number>, key: string): void => {
    const ms = since(key);
    if (ms !== undefined && !notes.has(key)) notes.set(key, ms);
  };
  const simulation = openSimulation({
    manifests: manyNodes(count),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: VOLLEY_AT_MS + 8 * MINUTE_MS,
    wrapPorts: (ports) =>
      around(ports, async (call, go) => {
        if (isRefused(call, since('') ?? -1)) throw new UnreachableError(`${call.method} is refused`);
        const hangMs = hangsMs(call, since('') ?? -1);
        if (hangMs > 0) await simulation.timetable.wait(hangMs);
        const answer = await go();
        const written: Partial<NodeClaimRecord> = Object(call.args[0]);
        if (call.method === 'store.updateNodeClaim' && written.deletion !== undefined)
          noteFirst(deleted, written.name ?? '');
        if (call.method === 'cluster.evictPod') noteFirst(evicted, podKey({ metadata: Object(call.args[0]) }));
        return answer;
      }),
    wrapInvocation: (ports, { function: name }) => {
      if (warnedAtMs.size > 0) invocations.set(name, (invocations.get(name) ?? 0) + 1);
      return ports;
    },
  });
  const { timetable, ec2, state } = simulation;
  const warn = (instance: { readonly id: string; readonly nodeClaim: string }): void => {
    const node = [...state.nodes.values()].find(({ spec }) => spec?.providerID?.endsWith(instance.id) === true);
    const pods = [...state.pods.values()].filter(({ spec }) => spec.nodeName === node?.metadata.name);
    for (const key of ['', instance.nodeClaim, ...pods.map(podKey)])
      if (!warnedAtMs.has(key)) warnedAtMs.set(key, timetable.now());
    ec2.interruptSpot(instance.id);
  };
  timetable.after(VOLLEY_AT_MS, () => {
    const running = ec2.instances().filter((one) => one.capacityType === 'spot' && one.state === 'running');
    expect(running).toHaveLength(count);
    for (const [index, one] of running.entries()) timetable.after((volleyMs * index) / count, () => warn(one));
  });
  for (;;) {
    const ended = await simulation.step();
    if (ended === 'time' || (ended === 'settled' && warnedAtMs.size > 0)) break;
  }
  return { simulation, deleted, evicted, invocations };
}

function expectReplaced({ simulation }: Volley, count: number): void {
  const { messages, functions, ec2, state } = simulation;
  const queues = [...Object.values(messages.queues), functions.interruptions];
  // The next tick replaces a tick that failed.
  const dead = queues.flatMap(({ deadLetters }) => deadLetters).filter((body) => !body.includes('"reason":"tick"'));
  expect(dead, 'no dead letters').toEqual([]);
  const running = ec2.instances().filter((one) => one.state === 'running');
  expect(running, 'every node is replaced').toHaveLength(count);
  expect([...state.nodes.values()], 'no node of an ended instance is left').toHaveLength(count);
  expect([...state.nodeClaims.values()], 'every interrupted NodeClaim is released').toHaveLength(count);
  expect([...state.pods.values()].map(({ status }) => status?.phase)).toEqual(Array(count).fill('Running'));
}

function latest(times: ReadonlyMap<string, number>): number {
  return Math.max(...times.values());
}

describe('if EC2 interrupts all nodes of a cluster within ten seconds', () => {
  const count = samples(1_000, 100);

  test(
    `every drain of ${count} nodes begins within 30 s of its warning, nothing is lost, and all nodes are replaced`,
    async () => {
      const volley = await playVolley(count);
      expect([volley.deleted.size, volley.evicted.size]).toEqual([count, count]);
      expect(latest(volley.deleted)).toBeLessThan(5 * SECOND_MS);
      expect(latest(volley.evicted)).toBeLessThan(30 * SECOND_MS);
      expectReplaced(volley, count);
      // Each instance has a warning and two changes of its state. Wakes of one second are one run.
      const {
        interruption = 0,
        termination = 0,
        lifecycle = 0,
        provisioning = 0,
      } = Object.fromEntries(volley.invocations);
      expect(interruption).toBeLessThan(3 * count + 1);
      expect(Math.max(termination, lifecycle, provisioning)).toBeLessThan(240);
    },
    120 * SECOND_MS,
  );
});

describe('if the table does not answer when EC2 interrupts ten nodes', () => {
  test.each([30, 60])(
    'for %d s, the drains begin within ten seconds of its first answer, and no event is lost',
    async (seconds) => {
      const ofTable = /^(store|leases|catalogue)\./;
      const volley = await playVolley(
        10,
        ({ method }, sinceMs) => sinceMs >= 0 && sinceMs < seconds * SECOND_MS && ofTable.test(method),
      );
      expect([volley.deleted.size, volley.evicted.size]).toEqual([10, 10]);
      expect(latest(volley.deleted)).toBeLessThan((seconds + 6) * SECOND_MS);
      expect(latest(volley.evicted)).toBeLessThan((seconds + 10) * SECOND_MS);
      expectReplaced(volley, 10);
    },
  );

  test('and only the marks of standby cannot be read, the drains begin as usual', async () => {
    const volley = await playVolley(10, ({ method }, sinceMs) => sinceMs >= 0 && method === 'store.isOnStandby');
    expect(volley.evicted.size).toBe(10);
    expect(latest(volley.evicted)).toBeLessThan(10 * SECOND_MS);
    expectReplaced(volley, 10);
  });
});

describe('if decisions cannot be published when EC2 interrupts 40 nodes at once', () => {
  test.each([
    ['messages.publish', 45],
    ['cluster.publishEvent', 10],
  ])('because %s hangs for %d s, the drains begin within ten seconds', async (method, seconds) => {
    const hangsMs = (call: PortCall, sinceMs: number): number =>
      sinceMs >= 0 && call.method === method ? seconds * SECOND_MS : 0;
    const volley = await playVolley(40, () => false, { hangsMs, volleyMs: 0 });
    expect(volley.evicted.size).toBe(40);
    expect(latest(volley.evicted)).toBeLessThan(10 * SECOND_MS);
    expectReplaced(volley, 40);
  });
});
