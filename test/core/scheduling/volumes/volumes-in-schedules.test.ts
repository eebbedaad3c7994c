import { describe, expect, test } from 'vitest';
import type { Node, Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import type { Storage } from '../../../../lib/apis/storage.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { pendingPod, pendingPods, runningPod, spread } from '../../../builders/pods.ts';
import { aStorageClass, aVolume, aVolumeClaim, inZones, someStorage } from '../../../builders/storage.ts';
import { place, placesOf, refusalsOf, valuesOf } from '../problems.ts';
import { allowing } from './volume-answers.ts';

const ZONE = 'topology.kubernetes.io/zone';
const [A, B, C] = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
const labels = { app: 'web' };

/** Claims bound to volumes in the zones of their names: `in-a` in A, `in-bc` in B and C. */
const storage = someStorage({
  persistentVolumeClaims: ['a', 'b', 'c', 'ab', 'bc'].map((zones) =>
    aVolumeClaim({ name: `in-${zones}`, volume: `pv-${zones}` }),
  ),
  persistentVolumes: ['a', 'b', 'c', 'ab', 'bc'].map((zones) =>
    aVolume({ name: `pv-${zones}`, terms: zones.split('').map((one) => inZones([`eu-west-3${one}`])) }),
  ),
});

function mounting(claims: readonly string[], over: Partial<Parameters<typeof pendingPod>[0]> = {}): Pod {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return pendingPod({ labels, ...over, spec: { volumes, ...over?.spec } });
}

function deleted(node: Node): Node {
  return { ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

const oneInEachZone = [A, B, C].map((zone) => aNode({ name: zone, zone }));

describe('a pod is placed where its volumes are', () => {
  test.each([
    ['one zone', ['in-b'], [B]],
    ['what two volumes have in common', ['in-ab', 'in-bc'], [B]],
    ['a volume that two zones reach leaves both', ['in-ab'], [A, B]],
  ])('%s (B42)', (_, claims, zones) => {
    expect(valuesOf(place([mounting(claims)], { storage }), ZONE)).toEqual([zones]);
  });

  test('every alternative is tried on existing and new nodes: the second if no node has the label of the first (B33, B42)', () => {
    const terms = [inZones([A], { key: 'rack', operator: 'In', values: ['r1'] }), inZones([C])];
    const twoWays = someStorage({
      persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
      persistentVolumes: [aVolume({ terms })],
    });
    const pods = [mounting(['data'])];
    expect(valuesOf(place(pods, { storage: twoWays }), ZONE)).toEqual([[C]]);
    expect(placesOf(place(pods, { storage: twoWays, nodes: oneInEachZone }))).toEqual({ 'web-1': C });
    const nodePools = [aPoolView({ labels: { rack: 'r1' } })];
    expect(valuesOf(place(pods, { storage: twoWays, nodePools }), ZONE)).toEqual([[A]]);
  });

  test('volumes without a common zone are refused before pools are tried (B42)', () => {
    const { unplaced } = place([mounting(['in-a', 'in-c'])], { storage });
    expect(unplaced).toMatchObject([{ refusals: [{ refusal: { reason: 'VolumesApart' } }] }]);
    expect(unplaced[0]?.refusals[0]).not.toHaveProperty('nodePool');
  });

  test('a volume that is being created for a node keeps its pod on that node, as in the kube-scheduler, while the node stays (B42)', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': B };
    const selected = someStorage({ persistentVolumeClaims: [aVolumeClaim({ annotations })] });
    const nodes = oneInEachZone;
    const onNodes = (over: Parameters<typeof place>[1]) =>
      place([mounting(['data'])], { storage: selected, nodes, ...over });
    expect(placesOf(onNodes({}))).toEqual({ 'web-1': B });
    const full = onNodes({ pods: [runningPod(B, { name: 'full', requests: { cpu: '4' } })] });
    expect(full.newClaims).toEqual([]);
    expect(full.unplaced[0]?.refusals[0]?.refusal.message).toBe(
      `requires kubernetes.io/hostname In [${B}], but the hostname of a new node is not known in advance; only that node can have its ` +
        'volumes: make room on it, or remove the annotation volume.kubernetes.io/selected-node of a claim that is not bound',
    );
    const removed = nodes.map((node) => (node.metadata.name === B ? deleted(node) : node));
    expect(placesOf(onNodes({ nodes: removed }))).toEqual({ 'web-1': A });
    expect(placesOf(onNodes({ nodes: nodes.slice(0, 1) }))).toEqual({ 'web-1': A });
    const pvc = aVolumeClaim({
      volume: 'pv-1',
      annotations: { ...annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
    });
    const bound = someStorage({
      persistentVolumeClaims: [pvc],
      persistentVolumes: [aVolume({ terms: [inZones([C])] })],
    });
    expect(placesOf(onNodes({ storage: bound }))).toEqual({ 'web-1': C });
  });

  test('the first node that satisfies one of the alternatives is used (B33, B42)', () => {
    const onNodes = (...claims: readonly string[]) =>
      placesOf(place([mounting(claims)], { storage, nodes: oneInEachZone, nodePools: [] }))['web-1'];
    expect(onNodes('in-bc')).toBe(B);
    expect(onNodes('in-c')).toBe(C);
    expect(onNodes('in-ab')).toBe(A);
  });

  test('an unbound volume follows the topologies of its class, on an existing or a new node (B33, B42)', () => {
    const waiting: Storage = someStorage({
      persistentVolumeClaims: [aVolumeClaim()],
      storageClasses: [aStorageClass(allowing({ [ZONE]: [C] }))],
    });
    expect(placesOf(place([mounting(['data'])], { storage: waiting, nodes: oneInEachZone }))).toEqual({ 'web-1': C });
    expect(valuesOf(place([mounting(['data'])], { storage: waiting }), ZONE)).toEqual([[C]]);
  });
});

describe('a spread constraint counts every zone that the pod can use', () => {
  const spreading: Partial<PodSpec> = { topologySpreadConstraints: [spread()] };
  const cluster = { nodes: oneInEachZone, pods: [runningPod(B, { name: 'there', labels })] };

  test('including zones that its volume excludes: the remaining zone has too many pods (B43)', () => {
    const bound = mounting(['in-b'], { requests: { cpu: '5' }, spec: spreading });
    expect(refusalsOf(place([bound], { ...cluster, storage }))).toEqual([['TopologySpread']]);
  });

  test('but not zones that its own selector excludes (B43, B47)', () => {
    const selecting = pendingPod({
      labels,
      requests: { cpu: '5' },
      spec: { ...spreading, nodeSelector: { [ZONE]: B } },
    });
    expect(valuesOf(place([selecting], { ...cluster, storage }), ZONE)).toEqual([[B]]);
  });

  test('and uses the zone of the volume when the other zones have enough pods (B43)', () => {
    const pods = [A, B, C].map((zone) => runningPod(zone, { name: `in-${zone}`, labels }));
    const bound = mounting(['in-b'], { requests: { cpu: '5' }, spec: spreading });
    expect(valuesOf(place([bound], { ...cluster, pods, storage }), ZONE)).toEqual([[B]]);
  });
});

const attachedTo = (node: string, volume: string) => ({
  metadata: { name: `csi-${volume}` },
  spec: { nodeName: node, source: { persistentVolumeName: volume } },
});

describe('volumes that a node can attach', () => {
  const own = someStorage({
    persistentVolumeClaims: Array.from({ length: 40 }, (_, at) => aVolumeClaim({ name: `v${at}`, volume: `pv-${at}` })),
    persistentVolumes: Array.from({ length: 40 }, (_, at) => aVolume({ name: `pv-${at}` })),
    csiNodes: [
      { metadata: { name: 'node-1' }, spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count: 2 } }] } },
    ],
  });
  const small = { requests: { cpu: '100m' } };

  test('at most the count of its CSINode, including volumes of running pods; other pods need another node (B33, B44)', () => {
    const running = { ...mounting(['v0'], small), spec: { ...mounting(['v0'], small).spec, nodeName: 'node-1' } };
    const pods = ['v1', 'v2'].map((claim) => mounting([claim], { ...small, name: `uses-${claim}` }));
    const schedule = place(pods, {
      nodes: [aNode()],
      pods: [{ ...running, metadata: { name: 'there' } }],
      storage: own,
    });
    expect(placesOf(schedule)).toEqual({ 'uses-v1': 'node-1' });
    expect(schedule.newClaims).toHaveLength(1);
  });

  test('a volume of a pod that has ended counts until it is detached, because the kube-scheduler counts it (B44)', () => {
    const pods = ['v1', 'v2'].map((claim) => mounting([claim], { ...small, name: `uses-${claim}` }));
    const volumeAttachments = [attachedTo('node-1', 'pv-0'), attachedTo('node-2', 'pv-3')];
    const schedule = place(pods, { nodes: [aNode()], storage: { ...own, volumeAttachments } });
    expect(placesOf(schedule)).toEqual({ 'uses-v1': 'node-1' });
    expect(schedule.newClaims).toHaveLength(1);
  });

  test('so does a volume without a claim, but not one of another kind (B44)', () => {
    const volumeAttachments = ['released', 'unknown', 'local'].map((name) => attachedTo('node-1', name));
    const persistentVolumes = [
      ...own.persistentVolumes,
      aVolume({ name: 'released' }),
      aVolume({ name: 'local', source: { local: {} } }),
    ];
    const pods = ['v1', 'v2'].map((claim) => mounting([claim], { ...small, name: `uses-${claim}` }));
    const schedule = place(pods, { nodes: [aNode()], storage: { ...own, persistentVolumes, volumeAttachments } });
    expect(placesOf(schedule)).toEqual({ 'uses-v1': 'node-1' });
  });

  test('the attached volumes of the pod and of running pods count once (B44)', () => {
    const running = { ...mounting(['v0'], small), spec: { ...mounting(['v0'], small).spec, nodeName: 'node-1' } };
    const volumeAttachments = [attachedTo('node-1', 'pv-0'), attachedTo('node-1', 'pv-1')];
    const schedule = place([mounting(['v1'], { ...small, name: 'again' })], {
      nodes: [aNode()],
      pods: [{ ...running, metadata: { name: 'there' } }],
      storage: { ...own, volumeAttachments },
    });
    expect(placesOf(schedule)).toEqual({ again: 'node-1' });
  });

  test('a volume that is already attached to the node does not count again (B44)', () => {
    const pods = [1, 2, 3].map((at) => mounting(['v0'], { ...small, name: `shares-${at}` }));
    const nodes = [aNode()];
    expect(Object.keys(placesOf(place(pods, { nodes, nodePools: [], storage: own })))).toHaveLength(3);
  });

  test('pods without volumes are not limited (B44)', () => {
    const full = mounting(['v0', 'v1'], { ...small, name: 'full' });
    const schedule = place([full, ...pendingPods(2, small)], { nodes: [aNode()], nodePools: [], storage: own });
    expect(Object.keys(placesOf(schedule))).toHaveLength(3);
  });

  test('a pod may have more volumes than the nodes of other types attach (B44)', () => {
    const claims = Array.from({ length: 40 }, (_, at) => `v${at}`);
    expect(place([mounting(claims, small)], { storage: own }).newClaims).toHaveLength(1);
  });
});
