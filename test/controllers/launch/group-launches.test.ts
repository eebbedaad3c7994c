import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { LaunchAdmission, LaunchOutcome } from '../../../lib/ports/cloud-provider.ts';
import { RefusedError, StaleRecordError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import { manyNodes } from '../../builders/cluster-manifests.ts';
import { playToEnd } from '../../simulator/play-to-end.ts';
import { SMALL_CATALOGUE } from '../life.ts';

const NODES = 6;
const DURATION_MS = 14 * MINUTE_MS;
const LAST_MS = 13 * MINUTE_MS;

interface Played {
  readonly simulation: OpenSimulation;
  readonly result: SimulationResult['timeline'];
  /** Every request that was sent, and when. */
  readonly sent: readonly { readonly atMs: number; readonly request: LaunchRequest }[];
  readonly failures: readonly string[];
}

type Wrap = (ports: ControllerPorts, nowMs: () => number) => Partial<Pick<ControllerPorts, 'cloud' | 'store'>>;

/** Six pods that need a node each. */
async function play(wrap: Wrap = () => ({}), under: Partial<SimulationInput> = {}): Promise<Played> {
  const sent: { readonly atMs: number; readonly request: LaunchRequest }[] = [];
  const nowMs = (): number => simulation.timetable.now() - startMs;
  let startMs = 0;
  const simulation: OpenSimulation = openSimulation({
    manifests: manyNodes(NODES),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: DURATION_MS,
    // Without an event, the simulation ends when nothing happens for a minute.
    scenario: {
      name: 'launches',
      events: [{ kind: 'scale', atMs: LAST_MS, deployment: 'default/web', replicas: NODES }],
    },
    wrapPorts: (ports) => {
      const watched: ControllerPorts = {
        ...ports,
        cloud: {
          ...ports.cloud,
          launch: async (request) => {
            sent.push({ atMs: nowMs(), request });
            return ports.cloud.launch(request);
          },
        },
      };
      return { ...watched, ...wrap(watched, nowMs) };
    },
    ...under,
  });
  startMs = simulation.timetable.now();
  await playToEnd(simulation);
  const { entries } = simulation.timeline;
  const failures = entries.flatMap((entry) => (entry.kind === 'function-failed' ? [entry.message] : []));
  return { simulation, result: [...entries], sent, failures };
}

/** Every claim has one instance, which has its name, and no other instance was launched. */
function expectOneInstanceForEachClaim({ simulation, result }: Played): void {
  const instances = simulation.ec2.instances();
  const claims = result.flatMap((entry) => (entry.kind === 'create-node-claim' ? [entry.nodeClaim] : []));
  expect(claims).toHaveLength(NODES);
  expect(instances.map(({ nodeClaim }) => nodeClaim).toSorted()).toEqual(claims.toSorted());
  expect(result.filter(({ kind }) => kind === 'delete-node-claim')).toEqual([]);
  expect(result.filter(({ kind }) => kind === 'pod-running')).toHaveLength(NODES);
}

const sizes = ({ sent }: Played): readonly number[] => sent.map(({ request }) => request.members?.length ?? 1);

describe('claims with equal requests', () => {
  test('are launched with one call, and their instances get their names', async () => {
    const played = await play();
    expect(sizes(played)).toEqual([NODES]);
    expect(played.failures).toEqual([]);
    expectOneInstanceForEachClaim(played);
  });

  test('are launched with one call also if each zone has several subnets', async () => {
    const played = await play(({ cloud }) => ({
      cloud: {
        ...cloud,
        resolveNodeClass: async (nodeClass) => {
          const answer = await cloud.resolveNodeClass(nodeClass);
          if (answer.kind !== 'resolved') return answer;
          const subnets = answer.nodeClass.subnets.flatMap((one) => [one, { ...one, id: `${one.id}-2` }]);
          return { ...answer, nodeClass: { ...answer.nodeClass, subnets } };
        },
      },
    }));
    expect(sizes(played)).toEqual([NODES]);
    expectOneInstanceForEachClaim(played);
  });

  test('are launched with the same call again if its reply is lost', async () => {
    let calls = 0;
    const played = await play(({ cloud }) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          const outcome = await cloud.launch(request);
          calls += 1;
          if (calls === 1) throw new UnreachableError('the reply was lost');
          return outcome;
        },
      },
    }));
    expect(sizes(played)).toEqual([NODES, NODES]);
    expect(played.sent[1]?.request).toEqual(played.sent[0]?.request);
    expect(played.failures, 'one failure for all claims').toHaveLength(1);
    expectOneInstanceForEachClaim(played);
  });

  test('get the instances of a spent token from the list, each claim another one', async () => {
    const played = await play(({ cloud }) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          const outcome = await cloud.launch(request);
          return request.members === undefined ? outcome : { kind: 'spent', missing: [], message: 'used before' };
        },
      },
    }));
    expect(sizes(played)).toEqual([NODES]);
    expectOneInstanceForEachClaim(played);
  });

  test('that EC2 does not launch are launched with the next call', async () => {
    let calls = 0;
    const claims: string[] = [];
    const played = await play(({ cloud }) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          calls += 1;
          if (calls > 1) return cloud.launch(request);
          claims.push(...(request.members ?? []));
          const outcome = await cloud.launch({ ...request, members: claims.slice(0, 4) });
          return outcome.kind === 'launched' ? { ...outcome, message: 'InsufficientInstanceCapacity' } : outcome;
        },
      },
    }));
    expect(claims).toHaveLength(NODES);
    expect(played.sent[1]?.request.members, 'those that have no instance').toEqual(claims.slice(4));
    expect(sizes(played)).toEqual([4, 2]);
    expectOneInstanceForEachClaim(played);
  });

  test('are launched again by the next run if another function has changed one of them', async () => {
    let tries = 0;
    const played = await play(({ store }) => ({
      store: {
        ...store,
        updateNodeClaims: async (records) => {
          tries += 1;
          if (tries === 1) throw new StaleRecordError('changed');
          return store.updateNodeClaims(records);
        },
      },
    }));
    expect(sizes(played)).toEqual([NODES]);
    expect(played.failures).toEqual([]);
    expectOneInstanceForEachClaim(played);
  });

  test('are not planned from old records by runs whose lists are slow', async () => {
    const written: number[] = [];
    const untilMs = 5 * MINUTE_MS;
    const slow: Fault = {
      id: 0,
      kind: 'calls-slow',
      calls: ['cloud.describeInstances', 'cluster.listNodes'],
      upToMs: 40 * SECOND_MS,
      percent: 60,
      fromMs: 0,
      forMs: untilMs,
    };
    const played = await play(
      ({ cloud, store }, nowMs) => ({
        cloud: {
          ...cloud,
          launch: async (request) => {
            if (nowMs() < untilMs) throw new UnreachableError('timeout');
            return cloud.launch(request);
          },
        },
        store: {
          ...store,
          updateNodeClaims: async (records) => {
            written.push(Math.floor(nowMs() / MINUTE_MS));
            return store.updateNodeClaims(records);
          },
        },
      }),
      // With other seeds, the claims are given up a moment before EC2 answers.
      { faults: [slow], invocations: 3, seed: 4 },
    );
    const most = Math.max(...[1, 2, 3, 4].map((minute) => written.filter((one) => one === minute).length));
    // The request is sent again every five seconds.
    expect(most, 'writes in a minute').toBeLessThanOrEqual(24);
    expectOneInstanceForEachClaim(played);
  });

  const REJECTED: LaunchOutcome = { kind: 'rejected', missing: [], message: 'UnauthorizedOperation' };

  test('have one instance each if EC2 rejects the call and the table takes only some of the refusals', async () => {
    let calls = 0;
    let refusals = 0;
    const isLost = (records: readonly NodeClaimRecord[]): boolean => {
      if (!records.some(({ launch }) => launch.kind === 'refused')) return false;
      refusals += 1;
      return refusals === 2 || records.length > 1;
    };
    const played = await play(({ cloud, store }, nowMs) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          calls += 1;
          return calls === 1 ? REJECTED : cloud.launch(request);
        },
      },
      store: {
        ...store,
        updateNodeClaim: async (record) => {
          if (nowMs() < 10 * SECOND_MS && isLost([record])) throw new UnreachableError('throttled');
          return store.updateNodeClaim(record);
        },
        updateNodeClaims: async (records) => {
          if (nowMs() < 10 * SECOND_MS && isLost(records)) throw new UnreachableError('throttled');
          return store.updateNodeClaims(records);
        },
      },
    }));
    expect(refusals).toBeGreaterThan(0);
    expectOneInstanceForEachClaim(played);
  });

  test('have one instance each if another run sends the call for some of them, and EC2 takes only that one', async () => {
    let calls = 0;
    const played = await play(({ cloud, store }) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          calls += 1;
          if (calls > 1) return cloud.launch(request);
          const records = await store.listNodeClaims(request.cluster);
          const others = records.filter(({ name }) => request.members?.slice(0, 2).includes(name));
          const again = others.flatMap(({ launch, ...one }): NodeClaimRecord[] =>
            launch.kind === 'requested' ? [{ ...one, launch: { ...launch, sentAgainAtMs: launch.atMs } }] : [],
          );
          await store.updateNodeClaims(again);
          await cloud.launch(request);
          return REJECTED;
        },
      },
    }));
    expectOneInstanceForEachClaim(played);
  });

  test('have one instance each if EC2 rejects the call and the table refuses to record it for all of them', async () => {
    let calls = 0;
    const played = await play(({ cloud, store }) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          calls += 1;
          return calls === 1 ? REJECTED : cloud.launch(request);
        },
      },
      store: {
        ...store,
        updateNodeClaims: async (records) => {
          if (records.some(({ launch }) => launch.kind !== 'requested' || launch.spent))
            throw new RefusedError('refused');
          return store.updateNodeClaims(records);
        },
      },
    }));
    expect(calls).toBeGreaterThan(1);
    expectOneInstanceForEachClaim(played);
  });

  test('have one instance each if the reply is lost, the call is then rejected, and EC2 lists instances after six minutes', async () => {
    let calls = 0;
    const late: Fault = { id: 0, kind: 'listed-late', lagMs: 6 * MINUTE_MS, fromMs: 0, forMs: DURATION_MS };
    const wrap: Wrap = ({ cloud }, nowMs) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          calls += 1;
          if (calls > 1) return nowMs() < 2 * MINUTE_MS ? REJECTED : cloud.launch(request);
          await cloud.launch(request);
          throw new UnreachableError('the reply was lost');
        },
      },
    });
    const played = await play(wrap, { faults: [late] });
    expect(new Set(played.sent.map(({ request }) => request.clientToken)).size).toBe(1);
    expect(calls).toBeGreaterThan(3);
    expectOneInstanceForEachClaim(played);
  });

  test('are launched by another call after EC2 rejects the first, also if one of them has changed meanwhile', async () => {
    let calls = 0;
    const played = await play(({ cloud, store }) => ({
      cloud: {
        ...cloud,
        launch: async (request) => {
          calls += 1;
          if (calls > 1) return cloud.launch(request);
          const [record] = await store.listNodeClaims(request.cluster);
          if (record !== undefined) await store.updateNodeClaim({ ...record, podsSeen: 'changed' });
          return REJECTED;
        },
      },
    }));
    expect(new Set(played.sent.map(({ request }) => request.clientToken)).size).toBe(1);
    expect(calls).toBe(2);
    expectOneInstanceForEachClaim(played);
  });

  test('are launched one by one if the table refuses their records together (promise 7)', async () => {
    const played = await play(({ store }) => ({
      store: {
        ...store,
        updateNodeClaims: async () => {
          throw new RefusedError('an item is too large');
        },
      },
    }));
    expect(sizes(played)).toEqual(Array.from({ length: NODES }, () => 1));
    expectOneInstanceForEachClaim(played);
  });

  test('get their names from a later tick if the launch could not write them', async () => {
    const played = await play(({ cloud }, nowMs) => ({
      cloud: {
        ...cloud,
        nameInstances: async (cluster, names) => {
          if (nowMs() < MINUTE_MS + MINUTE_MS / 2) throw new UnreachableError('throttled');
          return cloud.nameInstances(cluster, names);
        },
      },
    }));
    expect(played.failures).toEqual([]);
    expectOneInstanceForEachClaim(played);
  });
});

describe('claims that wait for the call budget', () => {
  const WAITS_MS = 8 * MINUTE_MS;

  test('are not written, are no failures, and are launched when the account has calls again', async () => {
    const written: number[] = [];
    const played = await play(({ cloud, store }, nowMs) => ({
      cloud: {
        ...cloud,
        admitLaunch: async (): Promise<LaunchAdmission> =>
          nowMs() < WAITS_MS ? { kind: 'wait', untilMs: nowMs() + SECOND_MS } : { kind: 'admitted' },
      },
      store: {
        ...store,
        updateNodeClaim: async (record) => {
          written.push(nowMs());
          return store.updateNodeClaim(record);
        },
        updateNodeClaims: async (records) => {
          written.push(nowMs());
          return store.updateNodeClaims(records);
        },
      },
    }));
    expect(written.filter((atMs) => atMs < WAITS_MS)).toEqual([]);
    expect(played.failures).toEqual([]);
    expect(sizes(played)).toEqual([NODES]);
    expect(played.sent[0]?.atMs).toBeLessThan(WAITS_MS + 10 * SECOND_MS);
    expectOneInstanceForEachClaim(played);
  });
});
