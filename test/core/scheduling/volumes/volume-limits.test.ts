import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { anInstanceType, someTypes } from '../../../builders/instance-types.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { pendingPod } from '../../../builders/pods.ts';
import { aVolume, aVolumeClaim, someStorage } from '../../../builders/storage.ts';
import { place, placesOf, podsOfClaims, typesOf } from '../problems.ts';

const EBS = 'ebs.csi.aws.com';
const CLOSED = { taints: [{ key: 'full', effect: 'NoSchedule' }] } as const;

/** Full nodes of these types, each with the limit of its CSINode. */
function nodesOf(limits: Readonly<Record<string, number>>) {
  const types = Object.entries(limits);
  return {
    nodes: types.map(([type]) =>
      aNode({ name: `node-${type}`, labels: { 'node.kubernetes.io/instance-type': type }, ...CLOSED }),
    ),
    storage: someStorage({
      persistentVolumeClaims: Array.from({ length: 32 }, (_, at) =>
        aVolumeClaim({ name: `v${at}`, volume: `pv-${at}` }),
      ),
      persistentVolumes: Array.from({ length: 32 }, (_, at) => aVolume({ name: `pv-${at}` })),
      csiNodes: types.map(([type, count]) => ({
        metadata: { name: `node-${type}` },
        spec: { drivers: [{ name: EBS, allocatable: { count } }] },
      })),
    }),
  };
}

function mounting(name: string, claims: readonly string[]): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return pendingPod({ name, requests: { cpu: '10m' }, spec: { volumes } });
}

/** Small pods, each with a volume. */
function smallPods(count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, at) => mounting(`db-${at}`, [`v${at}`]));
}

const four = smallPods(4);

/** A pod with the first volumes. */
function withVolumes(count: number): Pod {
  return mounting(
    'db',
    Array.from({ length: count }, (_, at) => `v${at}`),
  );
}

/** m5.large with the maximum of AWS's documentation, and m7i.large, which costs more. */
const DOCUMENTED = [
  anInstanceType({ name: 'm5.large', ebsVolumes: 26 }),
  anInstanceType({ name: 'm7i.large', ebsVolumes: 31, price: 0.2 }),
];

describe('volumes that a new node attaches (B44)', () => {
  test('as many as AWS documents if no CSINode limits EBS', () => {
    const schedule = place(smallPods(30), nodesOf({}));
    expect(podsOfClaims(schedule).map(({ length }) => length)).toEqual([25, 5]);
  });

  test('any number if no CSINode limits another driver', () => {
    const { storage, ...others } = nodesOf({});
    const persistentVolumes = storage.persistentVolumes.map(({ metadata, spec }) => ({
      metadata,
      spec: { ...spec, csi: { driver: 'efs.csi.aws.com', volumeHandle: metadata.name } },
    }));
    const schedule = place(smallPods(28), { ...others, storage: { ...storage, persistentVolumes } });
    expect(podsOfClaims(schedule).map(({ length }) => length)).toEqual([28]);
  });

  test('as many as a node of its type; pods without volumes share the nodes', () => {
    const schedule = place(
      [...four, mounting('plain', [])],
      nodesOf({ 'm5.large': 2, 'm5.xlarge': 2, 'm5.2xlarge': 2 }),
    );
    expect(new Set(podsOfClaims(schedule).map(({ length }) => length))).toEqual(new Set([2, 3]));
  });

  test('a type that attaches more is launched if it costs less than several nodes', () => {
    const { newClaims } = place(four, nodesOf({ 'm5.large': 1, 'm5.xlarge': 4, 'm5.2xlarge': 4 }));
    expect(newClaims.map(({ cheapest, pods }) => [cheapest.type.name, pods.length])).toEqual([['m5.xlarge', 4]]);
  });

  test('the launch options are types that attach all volumes of the pods', () => {
    const [types = []] = typesOf(place([mounting('db', ['v0', 'v1'])], nodesOf({ 'm5.large': 1, 'm5.2xlarge': 2 })));
    expect(types.toSorted()).toEqual(['m5.2xlarge', 'm5.xlarge']);
  });

  test('a type without nodes has the lower limit of the driver on the others, and attaches the volumes of any one pod', () => {
    const known = nodesOf({ 'm5.large': 2 });
    expect(podsOfClaims(place(four, known)).map(({ length }) => length)).toEqual([2, 2]);
    expect(typesOf(place([mounting('db', ['v0', 'v1', 'v2'])], known))).toEqual([['m5.xlarge', 'm5.2xlarge']]);
  });

  test('a pod with more volumes than expected has a node of a type without nodes alone; those of other pods stay as they are', () => {
    const known = nodesOf({ 'm7i.large': 2 });
    const schedule = place([mounting('db', ['v4', 'v5', 'v6']), ...four], known);
    expect(podsOfClaims(schedule).toSorted((a, b) => a.length - b.length)).toEqual([
      ['db'],
      ['db-0', 'db-1'],
      ['db-2', 'db-3'],
    ]);
  });

  test.each([
    { of: 'the documented limits', limits: { 'm7i.large': 31 }, expected: 25 },
    { of: 'volumes that the driver reserves', limits: { 'm7i.large': 29 }, expected: 23 },
    { of: 'a limit of the driver for all nodes', limits: { 'm7i.large': 10 }, expected: 10 },
    { of: 'the disks of other types do not use', limits: { 'd3en.12xlarge': 1 }, expected: 25 },
  ])('a type without nodes attaches no more than $of allow', ({ limits, expected }) => {
    const sold = [
      anInstanceType({ name: 'm7i.large', ebsVolumes: 31, offerings: [] }),
      anInstanceType({ name: 'd3en.12xlarge', ebsVolumes: 2, offerings: [] }),
    ];
    const nodePools = [aPoolView({ types: [...someTypes(), ...sold] })];
    const schedule = place(smallPods(30), { ...nodesOf(limits), nodePools });
    expect(Math.max(...podsOfClaims(schedule).map(({ length }) => length))).toBe(expected);
  });

  test('pods that share volumes share their number', () => {
    const shared = ['v0', 'v1', 'v2'];
    const pods = Array.from({ length: 10 }, (_, at) => mounting(`db-${at}`, shared));
    expect(podsOfClaims(place(pods, nodesOf({ 'm5.large': 3, 'm5.xlarge': 3, 'm5.2xlarge': 3 })))).toHaveLength(1);
  });

  test('a node with many disks of its own, which attaches few volumes, does not limit other types', () => {
    const { newClaims } = place(four, nodesOf({ 'd3en.12xlarge': 2, 'm5.2xlarge': 25 }));
    expect(newClaims.map(({ cheapest, pods }) => [cheapest.type.name, pods.length])).toEqual([['m5.large', 4]]);
  });

  test('a pod with more volumes than each type attaches is refused, with numbers', () => {
    const known = nodesOf({ 'm5.large': 2, 'm5.xlarge': 3, 'm5.2xlarge': 3 });
    const { newClaims, unplaced } = place([mounting('db', ['v0', 'v1', 'v2', 'v3'])], known);
    expect(newClaims).toEqual([]);
    expect(unplaced[0]?.refusals[0]?.refusal).toEqual({
      reason: 'TooManyVolumes',
      message: `it has 4 volumes of ${EBS}, but of 3 instance types that fit, m5.2xlarge attaches the most, 3: use fewer volumes, or allow instance types that attach more: m7i, c7i, r7i and the 8th generation attach 31, and up to 127 from 16xlarge`,
      numbers: { requested: 4, largest: 3 },
    });
  });

  test('the disks of a type leave fewer', () => {
    const types = [anInstanceType({ name: 'i3en.24xlarge', ebsVolumes: 18 })];
    const schedule = place(smallPods(20), { ...nodesOf({}), nodePools: [aPoolView({ types })] });
    expect(podsOfClaims(schedule).map(({ length }) => length)).toEqual([17, 3]);
  });

  describe('a pod with more volumes than most types attach', () => {
    const [m5] = DOCUMENTED;
    const only = { ...nodesOf({}), nodePools: [aPoolView({ types: m5 === undefined ? [] : [m5] })] };
    const both = { ...nodesOf({}), nodePools: [aPoolView({ types: DOCUMENTED })] };
    const m5Pod = (count: number): Pod => {
      const pod = withVolumes(count);
      return { ...pod, spec: { ...pod.spec, nodeSelector: { 'node.kubernetes.io/instance-type': 'm5.large' } } };
    };

    test.each([26, 27])('has a node of a type that documents %i', (count) => {
      expect(typesOf(place([withVolumes(count)], both))).toEqual([['m7i.large']]);
    });

    test.each([
      ['of its NodePools', withVolumes(26), only],
      ['that meets its requirements', m5Pod(26), both],
    ])('tries a type up to the documented maximum if no type %s probably attaches them', (_, pod, cluster) => {
      expect(typesOf(place([pod], cluster))).toEqual([['m5.large']]);
      expect(podsOfClaims(place([pod, mounting('other', ['v27'])], cluster))).toEqual([['db'], ['other']]);
    });

    test.each([
      ['of its NodePools', withVolumes(27), only],
      ['that meets its requirements', m5Pod(27), both],
    ])('is refused if no type %s documents them', (_, pod, cluster) => {
      const { newClaims, unplaced } = place([pod], cluster);
      expect(newClaims).toEqual([]);
      expect(unplaced[0]?.refusals[0]?.refusal).toMatchObject({
        reason: 'TooManyVolumes',
        message: expect.stringContaining('it has 27 volumes of ebs.csi.aws.com, but a node of m5.large attaches 25: '),
        numbers: { requested: 27, largest: 25 },
      });
    });

    test('is not moved to a type that it would have to try', () => {
      const pod = withVolumes(26);
      const { newClaims, unplaced } = place([{ ...pod, spec: { ...pod.spec, nodeName: 'node-1' } }], only);
      expect(newClaims).toEqual([]);
      expect(unplaced).toHaveLength(1);
    });

    test('waits for a starting node that was launched for it, and for no other', () => {
      const labels = { 'node.kubernetes.io/instance-type': 'm5.large' };
      const starting = (pods: readonly string[]) => ({
        ...only,
        nodeClaims: [launchedClaim({ name: 'starting', pods, labels })],
      });
      expect(placesOf(place([withVolumes(26)], starting(['default/db'])))).toEqual({ db: 'starting' });
      expect(placesOf(place([withVolumes(26)], starting([])))).toEqual({});
      expect(placesOf(place([withVolumes(27)], starting(['default/db'])))).toEqual({});
    });
  });

  test('the requests of a NodeClaim have no volumes', () => {
    const [claim] = place(four, nodesOf({ 'm5.large': 4 })).newClaims;
    expect(Object.keys(claim?.requests ?? {}).toSorted()).toEqual(['cpu', 'pods']);
  });

  test('a node whose driver has not registered yet attaches as many as another of its type', () => {
    const { nodes, storage } = nodesOf({ 'm5.large': 2 });
    const starting = aNode({ name: 'starting', labels: { 'node.kubernetes.io/instance-type': 'm5.large' } });
    const schedule = place(four, { nodes: [...nodes, starting], storage });
    expect(Object.values(placesOf(schedule))).toEqual(['starting', 'starting']);
    expect(podsOfClaims(schedule)).toHaveLength(1);
  });
});
