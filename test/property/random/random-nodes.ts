import fc from 'fast-check';
import type { RawInstanceType } from '../../parity/verifier/raw-documents.ts';
import { CAPACITY_TYPES, ZONES } from './random-instance-types.ts';
import { type DrawnPool, NODE_CLASS_REF, poolName, STARTUP_TAINT, taintsOf } from './random-node-pools.ts';
import { APPS, affinityTerm, NAMESPACES } from './random-pods.ts';
import { EBS_DRIVER } from './random-storage.ts';

/** Random nodes with their pods: of a NodePool or of none, and ready, starting, being deleted, or only a claim. */

const boundPod = fc.record({
  app: fc.constantFrom(...APPS),
  namespace: fc.constantFrom(NAMESPACES[0], NAMESPACES[0], NAMESPACES[1]),
  cpu: fc.constantFrom('100m', '400m'),
  keepsOff: fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: affinityTerm },
  ),
  hostPort: fc.constantFrom(undefined, undefined, 80),
  state: fc.constantFrom('running', 'running', 'running', 'terminating', 'succeeded'),
});

const drawn = fc.record({
  state: fc.constantFrom('up', 'up', 'up', 'starting', 'claimed', 'deleted', 'unmanaged'),
  pool: fc.nat({ max: 2 }),
  type: fc.nat({ max: 9 }),
  zone: fc.constantFrom(...ZONES),
  capacityType: fc.constantFrom(...CAPACITY_TYPES),
  taint: fc.constantFrom(undefined, undefined, undefined, 'NoSchedule'),
  volumesAtMost: fc.constantFrom(undefined, 1, 2),
  pods: fc.array(boundPod, { maxLength: 3 }),
  hasDaemons: fc.boolean(),
});

type DrawnNode = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export const randomNodes = fc.array(drawn, { maxLength: 4 });

export interface NodeSurroundings {
  readonly pools: readonly DrawnPool[];
  readonly types: readonly RawInstanceType[];
  /** Names of the DaemonSets. */
  readonly daemonSets: readonly string[];
}

/** The objects of one node, each in its list. */
export function nodeObjects(of: DrawnNode, index: number, around: NodeSurroundings) {
  const name = `node-${index + 1}`;
  const poolIndex = of.pool % around.pools.length;
  const pool = around.pools[poolIndex];
  const type = around.types[of.type % around.types.length];
  if (pool === undefined || type === undefined) {
    throw new Error('a node needs a pool and a type');
  }
  const labels = labelsOf(of, { type, pool, poolIndex });
  const providerID = `aws:///${of.zone}/i-${name}`;
  const isManaged = of.state !== 'unmanaged';
  const hasNode = of.state !== 'claimed';
  const resources = { capacity: type.capacity, allocatable: allocatableOf(type) };
  const deletionTimestamp = of.state === 'deleted' ? '2026-01-01T00:10:00Z' : undefined;
  const taints = [...(isManaged ? (taintsOf(pool) ?? []) : []), ...ownTaints(of, pool)];
  const node = {
    metadata: { name, labels: { ...labels, 'kubernetes.io/hostname': name }, deletionTimestamp },
    spec: { providerID, taints },
    status: resources,
  };
  const claim = {
    metadata: { name: `claim-${name}`, labels, deletionTimestamp, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      nodeClassRef: NODE_CLASS_REF,
      requirements: [],
      taints: taintsOf(pool),
      startupTaints: pool.startup ? [STARTUP_TAINT] : undefined,
    },
    status: { providerID, nodeName: hasNode ? name : undefined, ...resources },
  };
  const { volumesAtMost } = of;
  const drivers = [{ name: EBS_DRIVER, nodeID: name, topologyKeys: [], allocatable: { count: volumesAtMost } }];
  return {
    nodes: hasNode ? [node] : [],
    nodeClaims: isManaged ? [claim] : [],
    csiNodes: hasNode && volumesAtMost !== undefined ? [{ metadata: { name }, spec: { drivers } }] : [],
    pods: hasNode ? [...of.pods.map((pod, at) => podOn(name, pod, at)), ...daemonPods(name, of, around)] : [],
  };
}

function labelsOf(
  { state, zone, capacityType }: DrawnNode,
  { type, pool, poolIndex }: { readonly type: RawInstanceType; readonly pool: DrawnPool; readonly poolIndex: number },
) {
  const ofType = Object.entries(type.requirements ?? {}).flatMap(([key, [value, ...more]]) =>
    value === undefined || more.length > 0 ? [] : [[key, value] as const],
  );
  const tier = pool.requirements.find(({ key }) => key === 'tier') === undefined ? {} : { tier: 'gold' };
  const ofPool = {
    ...(pool.team ? { team: 'x' } : {}),
    ...tier,
    'karpenter.sh/nodepool': poolName(poolIndex),
    'karpenter.sh/registered': 'true',
    ...(state === 'up' || state === 'deleted' ? { 'karpenter.sh/initialized': 'true' } : {}),
  };
  return {
    ...Object.fromEntries(ofType),
    'topology.kubernetes.io/zone': zone,
    'karpenter.sh/capacity-type': capacityType,
    ...(state === 'unmanaged' ? {} : ofPool),
  };
}

function ownTaints({ state, taint }: DrawnNode, { startup }: DrawnPool) {
  const starting = startup
    ? [STARTUP_TAINT, { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]
    : [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
  return [
    ...(state === 'starting' ? starting : []),
    ...(taint === undefined ? [] : [{ key: 'manual', value: 'yes', effect: taint }]),
  ];
}

/** The amount that a kubelet would report: a little less than the capacity. */
function allocatableOf({ capacity }: RawInstanceType) {
  return { ...capacity, cpu: `${Number(capacity['cpu']) * 1000 - 100}m` };
}

function podOn(nodeName: string, pod: typeof boundPod extends fc.Arbitrary<infer T> ? T : never, at: number) {
  const { app, namespace, cpu, keepsOff, hostPort, state } = pod;
  return {
    metadata: {
      name: `${app}-${nodeName}-${at}`,
      namespace,
      labels: { app, hash: '0' },
      deletionTimestamp: state === 'terminating' ? '2026-01-01T00:20:00Z' : undefined,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `uid-${app}`, controller: true }],
    },
    spec: {
      nodeName,
      containers: [
        {
          name: 'main',
          resources: { requests: { cpu, memory: '128Mi' } },
          // Two pods with the same port cannot run on one node.
          ports: hostPort === undefined || at > 0 ? undefined : [{ hostPort }],
        },
      ],
      tolerations: [{ operator: 'Exists' }],
      affinity:
        keepsOff === undefined
          ? undefined
          : { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [keepsOff(app)] } },
    },
    status: { phase: state === 'succeeded' ? 'Succeeded' : 'Running' },
  };
}

function daemonPods(nodeName: string, { hasDaemons }: DrawnNode, { daemonSets }: NodeSurroundings) {
  return (hasDaemons ? daemonSets : []).map((name) => ({
    metadata: {
      name: `${name}-${nodeName}`,
      namespace: 'kube-system',
      labels: { daemon: name },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: `uid-${name}`, controller: true }],
    },
    spec: {
      nodeName,
      containers: [{ name: 'main', resources: { requests: { cpu: '150m', memory: '64Mi' } } }],
      tolerations: [{ operator: 'Exists' }],
    },
    status: { phase: 'Running' },
  }));
}
