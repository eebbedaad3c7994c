import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { formatTime, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { reconcileLifecycle } from '../../../lib/controllers/lifecycle.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import type { CloudProvider } from '../../../lib/ports/cloud-provider.ts';
import { ConflictError, RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { WakeTarget } from '../../../lib/ports/messages.ts';
import { writeCustom } from '../../../lib/simulator/kubernetes/objects.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { type KubernetesState, kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { memoryCatalogueStore } from '../../../lib/simulator/memory-catalogue-store.ts';
import { memoryLeases } from '../../../lib/simulator/memory-leases.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aSimulatedEc2 } from '../../fakes/simulated-ec2.ts';

const CLUSTER = 'demo';
const FINALIZER = 'karpenter.k8s.aws/termination';

interface Bench {
  readonly ports: ControllerPorts;
  readonly state: KubernetesState;
  /** The fields of every write to a class, in order. */
  readonly writes: string[];
  readonly woken: WakeTarget[];
  readonly published: Decision[];
  readonly events: string[];
  readonly tick: () => ReturnType<typeof reconcileLifecycle>;
  readonly seen: (name?: string) => EC2NodeClass | undefined;
}

/** One cluster in memory, with the answers of AWS that the test defines. */
function bench(aws: Partial<CloudProvider> = {}, nodeClasses: readonly EC2NodeClass[] = [aNodeClass()]): Bench {
  const timetable = timetableFrom(NOW_MS);
  const state = kubernetesState(someManifests({ nodeClasses }));
  const cluster = simulatedCluster(state, timetable);
  const writes: string[] = [];
  const woken: WakeTarget[] = [];
  const published: Decision[] = [];
  const events: string[] = [];
  const cloud = aSimulatedEc2(CLUSTER, timetable);
  const ports: ControllerPorts = {
    cluster: {
      ...cluster,
      patchNodeClass: async (nodeClass, patch) => {
        writes.push(Object.keys(patch).join('+'));
        return cluster.patchNodeClass(nodeClass, patch);
      },
      publishEvent: async ({ reason, regarding }) => void events.push(`${reason} ${regarding.kind} ${regarding.name}`),
    },
    cloud: { ...cloud, ...aws },
    store: memoryNodeClaimStore(),
    leases: memoryLeases({ now: () => 0 }),
    catalogue: memoryCatalogueStore(),
    messages: {
      wake: async (target) => void woken.push(target),
      publish: async (decision) => void published.push(decision),
    },
    clock: timetable,
    settings: DEFAULT_SETTINGS,
  };
  return {
    ports,
    state,
    writes,
    woken,
    published,
    events,
    tick: async () => reconcileLifecycle(ports, { cluster: CLUSTER, reason: 'tick' }),
    seen: (name = 'default') => state.nodeClasses.get(name),
  };
}

function readyOf(nodeClass: EC2NodeClass | undefined): unknown {
  return nodeClass?.status?.conditions?.find(({ type }) => type === 'Ready');
}

const NOWHERE: Pick<CloudProvider, 'resolveNodeClass'> = {
  resolveNodeClass: async () => {
    const problem = { reason: 'SubnetsNotFound', message: 'spec.subnetSelectorTerms finds nothing' } as const;
    return { kind: 'unresolved', ...problem, problems: [problem], found: {} };
  },
};

function deleted({ metadata, ...rest }: EC2NodeClass): EC2NodeClass {
  return { ...rest, metadata: { ...metadata, deletionTimestamp: formatTime(NOW_MS), finalizers: [FINALIZER] } };
}

describe('reconciling the NodeClasses of a cluster', () => {
  test('adds the finalizer to a new class before it creates resources, then writes hash and status, and then nothing', async () => {
    const order: string[] = [];
    const { tick, writes, seen } = bench({
      ensureInstanceProfile: async () => {
        order.push(`profile after ${writes.join()}`);
        return { kind: 'ready', name: 'made' };
      },
    });
    await tick();
    expect(order).toEqual(['profile after finalizers']);
    expect(writes).toEqual(['finalizers', 'annotations+status']);
    expect(seen()?.metadata.finalizers).toEqual([FINALIZER]);
    expect(seen()?.status?.instanceProfile).toBe('made');
    expect(readyOf(seen())).toMatchObject({ status: 'True', observedGeneration: 1 });
    await tick();
    await tick();
    expect(writes).toHaveLength(2);
  });

  test('reports a class that is not ready each time, and publishes it when it is new', async () => {
    const { tick, published, seen } = bench(NOWHERE);
    const first = await tick();
    const second = await tick();
    const blocked = { subject: { kind: 'EC2NodeClass', name: 'default' }, reason: 'SubnetsNotFound' };
    for (const { decisions } of [first, second]) expect(decisions).toMatchObject([{ blocked: [blocked] }]);
    expect(published).toMatchObject([{ blocked: [blocked] }]);
    expect(readyOf(seen())).toMatchObject({ status: 'False', reason: 'SubnetsNotFound' });
  });

  test('checks permissions only if there are no other problems, and shows missing ones', async () => {
    const why = { reason: 'CreateFleetAuthCheckFailed', message: 'not authorized' } as const;
    const refusing: Partial<CloudProvider> = { whyNotAuthorized: async () => why };
    const { tick, seen } = bench(refusing);
    await tick();
    expect(readyOf(seen())).toMatchObject({ status: 'False', reason: 'CreateFleetAuthCheckFailed' });
    const other = bench({ ...refusing, ...NOWHERE });
    await other.tick();
    expect(readyOf(other.seen())).toMatchObject({ reason: 'SubnetsNotFound' });
  });

  test('wakes provisioning and lifecycle when a class becomes usable, and not for its first status', async () => {
    const base = bench();
    const { cloud } = base.ports;
    let isThere = false;
    const { tick, woken } = bench({
      resolveNodeClass: async (nodeClass) => (isThere ? cloud : NOWHERE).resolveNodeClass(nodeClass),
    });
    await base.tick();
    expect(base.woken).toEqual([]);
    await tick();
    expect(woken).toEqual([]);
    isThere = true;
    await tick();
    expect(woken).toEqual(['provisioning', 'lifecycle']);
  });

  test('continues after a class that fails, and does not report a conflict', async () => {
    const other = { ...aNodeClass(), metadata: { name: 'other' } };
    const third = { ...aNodeClass(), metadata: { name: 'third' } };
    const { ports, tick, seen } = bench({}, [aNodeClass(), other, third]);
    const { cloud, cluster } = ports;
    const failing: ControllerPorts = {
      ...ports,
      cloud: {
        ...cloud,
        ensureInstanceProfile: async (nodeClass) => {
          if (nodeClass.metadata.name === 'default') throw new UnreachableError('IAM does not answer');
          return cloud.ensureInstanceProfile(nodeClass);
        },
      },
      cluster: {
        ...cluster,
        patchNodeClass: async (nodeClass, patch) => {
          if (nodeClass.metadata.name === 'third') throw new ConflictError('written meanwhile');
          return cluster.patchNodeClass(nodeClass, patch);
        },
      },
    };
    const { failures } = await reconcileLifecycle(failing, { cluster: CLUSTER, reason: 'tick' });
    expect(failures.map(({ message }) => message)).toEqual(['EC2NodeClass default: IAM does not answer']);
    expect(readyOf(seen('other'))).toMatchObject({ status: 'True' });
    expect(readyOf(seen('third'))).toBeUndefined();
    await tick();
    expect(readyOf(seen('third'))).toMatchObject({ status: 'True' });
  });

  test('does not happen after a wake that names a claim', async () => {
    const { ports, writes } = bench();
    await ports.store.createNodeClaim(aClaim({ cluster: CLUSTER }));
    const nodeClaim = aClaim().name;
    await reconcileLifecycle(ports, { cluster: CLUSTER, reason: 'created', nodeClaim });
    expect(writes).toEqual([]);
  });
});

test('instance profiles that no class refers to are deleted (C67)', async () => {
  const swept: string[] = [];
  const { tick } = bench({
    removeUnusedInstanceProfiles: async (cluster, nodeClasses) => void swept.push(`${cluster} ${nodeClasses.length}`),
  });
  await tick();
  expect(swept).toEqual(['demo 1']);
});

describe('a NodeClass that is deleted (A3.30)', () => {
  test('is released, then removed', async () => {
    const released: string[] = [];
    const { tick, state, seen } = bench({
      releaseNodeClass: async (_cluster, { metadata }) =>
        void released.push(`${metadata.name} ${state.nodeClasses.size}`),
    });
    writeCustom(state, state.nodeClasses, deleted(aNodeClass()));
    await tick();
    expect(released).toEqual(['default 1']);
    expect(seen()).toBeUndefined();
  });

  test('is kept with its profile while a NodeClaim refers to it, and reports this once', async () => {
    const released: string[] = [];
    const { ports, tick, state, seen, events } = bench({
      releaseNodeClass: async () => void released.push('released'),
    });
    writeCustom(state, state.nodeClasses, deleted(aNodeClass()));
    await ports.store.createNodeClaim(aClaim({ cluster: CLUSTER, createdAtMs: NOW_MS }));
    const { decisions } = await tick();
    expect(decisions.flatMap(({ blocked }) => blocked)).toContainEqual(
      expect.objectContaining({
        subject: { kind: 'EC2NodeClass', name: 'default' },
        reason: 'WaitingOnNodeClaimTermination',
      }),
    );
    await tick();
    expect(events.filter((event) => event.includes('EC2NodeClass'))).toEqual([
      'WaitingOnNodeClaimTermination EC2NodeClass default',
    ]);
    expect(events).toContain('NodeClassNotReady NodePool general');
    expect(released).toEqual([]);
    expect(seen()).toBeDefined();
  });
});

async function simulated(nodeClass: EC2NodeClass): Promise<SimulationResult> {
  return runSimulation({
    manifests: someManifests({ nodeClasses: [nodeClass] }),
    catalogue: shippedCatalogue({ region: 'us-east-1', because: 'the test' }),
    seed: 1,
    durationMs: 5 * MINUTE_MS,
  });
}

describe('provisioning (C37)', () => {
  test('does not use a pool whose class is not ready, and reports the reason of the class', async () => {
    const nodeClass = aNodeClass();
    const result = await simulated({ ...nodeClass, spec: { ...nodeClass.spec, kubelet: { registerWithTaints: [] } } });
    expect(result.nodesLaunched).toBe(0);
    expect(result.timeline).toContainEqual(
      expect.objectContaining({ kind: 'blocked', nodePool: 'general', reason: 'InvalidKubeletConfiguration' }),
    );
  });

  test('does not wait for the first status of a class', async () => {
    const result = await simulated(aNodeClass());
    const first = result.timeline.find(({ kind }) => kind === 'create-node-claim');
    expect(first?.at).toBeLessThan(5);
  });
});

test.each(['removeUnusedInstanceProfiles', 'removeOldLaunchTemplates'] as const)(
  'C67: a refusal of %s is reported once an hour',
  async (method) => {
    const { ports } = bench({ [method]: async () => Promise.reject(new RefusedError('AccessDenied')) });
    const reporting = { ...ports, refusals: reportedRefusals() };
    const failures: (readonly string[])[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      const report = await reconcileLifecycle(reporting, { cluster: CLUSTER, reason: 'tick' });
      failures.push(report.failures.map(({ message }) => message));
    }
    expect(failures).toEqual([[expect.stringMatching(/^delete unused .*: AccessDenied$/)], [], []]);
  },
);

test('C67: unused profiles are deleted, and a failure does not delay the classes', async () => {
  const asked: (readonly string[])[] = [];
  const { tick, seen } = bench({
    removeUnusedInstanceProfiles: async (cluster, nodeClasses) => {
      asked.push([cluster, ...nodeClasses.map(({ metadata }) => metadata.name)]);
      throw new UnreachableError('list instance profiles: Throttling');
    },
  });
  const report = await tick();
  expect(asked).toEqual([[CLUSTER, 'default']]);
  expect(report.failures.map(({ message }) => message).join()).toContain('Throttling');
  expect(seen()?.status?.instanceProfile).toBeDefined();
});
