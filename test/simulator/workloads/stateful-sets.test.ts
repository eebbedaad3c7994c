import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { deleteNode, endPodGracefully } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { scaleWorkload } from '../../../lib/simulator/kubernetes/workloads/scale.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aStatefulSet, someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';
import { type Played, play } from './played.ts';

const DB = { kind: 'StatefulSet', key: 'default/db' } as const;
const OF_DB = ['default/db-0', 'default/db-1', 'default/db-2'];

/** The pods in the order of their entries of this kind. */
function order(played: Played, kind: 'pod-pending' | 'pod-ended' | 'pod-running'): readonly string[] {
  return played.entries(kind).map(({ pod }) => pod);
}

describe('a StatefulSet with OrderedReady', () => {
  test('creates each pod when the one before it is ready, named by ordinal', async () => {
    const played = play({ statefulSets: [aStatefulSet('db')] });
    await played.to(10);
    expect(played.names('Running')).toEqual(OF_DB);
    const [pending, running] = [played.times('pod-pending'), played.times('pod-running')];
    expect(pending[1]).toBeGreaterThanOrEqual(running[0] ?? Infinity);
    expect(pending[2]).toBeGreaterThanOrEqual(running[1] ?? Infinity);
    expect(new Set(played.entries('pod-running').map(({ workload }) => workload))).toEqual(
      new Set(['StatefulSet default/db']),
    );
  });

  test('deletes from the highest ordinal, one after the other, and leaves no node', async () => {
    const played = play({ statefulSets: [aStatefulSet('db')] });
    await played.to(10);
    scaleWorkload(played.state, DB, 0);
    await played.to(30);
    expect(order(played, 'pod-ended')).toEqual(OF_DB.toReversed());
    expect(played.state.nodes.size).toBe(0);
  });

  test('deletes pods without a node one after the other too', async () => {
    const played = play({ nodePools: [], statefulSets: [aStatefulSet('db', { podManagementPolicy: 'Parallel' })] });
    await played.to(1);
    expect(played.names('Pending')).toEqual(OF_DB);
    scaleWorkload(played.state, DB, 1);
    await played.to(2);
    expect(played.names()).toEqual(['default/db-0']);
  });

  test('creates a deleted pod again under its name, after it has ended, and before later pods', async () => {
    const played = play({ statefulSets: [aStatefulSet('db', { replicas: 2 })] });
    await played.to(10);
    const first = played.state.pods.get('default/db-0');
    if (first !== undefined) endPodGracefully(played.state, first, played.timetable);
    scaleWorkload(played.state, DB, 3);
    await played.to(20);
    expect(order(played, 'pod-pending')).toEqual(['default/db-0', 'default/db-1', 'default/db-0', 'default/db-2']);
    expect(played.times('pod-pending')[2]).toBeGreaterThanOrEqual(played.times('pod-ended')[0] ?? Infinity);
    expect(played.names('Running')).toEqual(OF_DB);
  });

  test('waits for minReadySeconds before the next pod', async () => {
    const played = play({ statefulSets: [aStatefulSet('db', { replicas: 2, minReadySeconds: 120 })] });
    await played.to(10);
    const [pending, running] = [played.times('pod-pending'), played.times('pod-running')];
    expect((pending[1] ?? 0) - (running[0] ?? 0)).toBeGreaterThan(119);
    expect((pending[1] ?? 0) - (running[0] ?? 0)).toBeLessThan(121);
  });
});

test('a Parallel StatefulSet creates and deletes all pods at once', async () => {
  const played = play({ statefulSets: [aStatefulSet('db', { podManagementPolicy: 'Parallel' })] });
  await played.to(10);
  expect(new Set(played.times('pod-pending')).size).toBe(1);
  expect(played.names('Running')).toEqual(OF_DB);
  scaleWorkload(played.state, DB, 0);
  await played.to(10.1);
  expect(played.pods()).toEqual([]);
});

test('the ordinals of a StatefulSet begin at ordinals.start', async () => {
  const played = play({ statefulSets: [aStatefulSet('db', { replicas: 2, ordinals: { start: 5 } })] });
  await played.to(10);
  expect(played.names('Running')).toEqual(['default/db-5', 'default/db-6']);
});

test('each pod of a StatefulSet has its claims, which stay after it is scaled down', async () => {
  const data = { metadata: { name: 'data' }, spec: { storageClassName: 'gp3' } };
  const played = play({ statefulSets: [aStatefulSet('db', { replicas: 2, volumeClaimTemplates: [data] })] });
  await played.to(10);
  expect(played.pods('Running').map(({ spec }) => spec.volumes)).toEqual([
    [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }],
    [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }],
  ]);
  scaleWorkload(played.state, DB, 0);
  await played.to(20);
  expect([...played.state.storage.claims.keys()]).toEqual(['default/data-db-0', 'default/data-db-1']);
});

test('the pods of a deleted node come back under their names', async () => {
  const played = play({ statefulSets: [aStatefulSet('db')] });
  await played.to(10);
  const [node] = played.state.nodes.keys();
  deleteNode(played.state, node ?? '', played.timetable);
  await played.to(30);
  expect(played.names('Running')).toEqual(OF_DB);
  expect(played.entries('pod-running').length).toBeGreaterThan(3);
});

describe('a ReplicaSet without a Deployment', () => {
  const replicaSet = aDeployment('web-7d4', 2);

  test('keeps its number of pods, and is reported as a ReplicaSet', async () => {
    const played = play({ replicaSets: [replicaSet] });
    await played.to(5);
    expect(played.pods('Running')).toHaveLength(2);
    expect(played.entries('pod-running').map(({ workload }) => workload)).toEqual([
      'ReplicaSet default/web-7d4',
      'ReplicaSet default/web-7d4',
    ]);
    scaleWorkload(played.state, { kind: 'ReplicaSet', key: 'default/web-7d4' }, 1);
    await played.to(6);
    expect(played.pods('Running')).toHaveLength(1);
  });
});

test('a scale event changes the replicas of a StatefulSet', async () => {
  const events = [
    { kind: 'scale', atMs: 5 * MINUTE_MS, workload: DB, replicas: 1 },
    { kind: 'scale', atMs: 6 * MINUTE_MS, workload: { kind: 'ReplicaSet', key: 'default/no' }, replicas: 1 },
  ] as const;
  const played = play({ statefulSets: [aStatefulSet('db')] }, { scenario: { name: 'less', events } });
  await played.to(10);
  expect(played.names('Running')).toEqual(['default/db-0']);
  const messages = played.timeline.entries.flatMap((entry) => (entry.kind === 'scenario' ? [entry.message] : []));
  expect(messages).toEqual([
    'StatefulSet default/db is scaled from 3 to 1',
    'ReplicaSet default/no does not exist: nothing is scaled',
  ]);
});

test('the same seed gives the same run with StatefulSets', async () => {
  const input = {
    manifests: someManifests({ statefulSets: [aStatefulSet('db')] }),
    catalogue: SMALL_CATALOGUE,
    seed: 7,
    durationMs: 30 * MINUTE_MS,
  };
  expect(JSON.stringify(await runSimulation(input))).toBe(JSON.stringify(await runSimulation(input)));
});
