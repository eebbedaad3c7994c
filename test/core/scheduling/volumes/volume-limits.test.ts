import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
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
  ])('a type without nodes attaches no more than $of allow', ({ limits, expected }) => {
    const schedule = place(smallPods(30), nodesOf(limits));
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
      reason: 'InsufficientResources',
      message: `it has 4 volumes of ${EBS}, and a node of 3 instance types attaches 3 at most: use fewer volumes, or allow other instance types`,
      numbers: { requested: 4, largest: 3 },
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
