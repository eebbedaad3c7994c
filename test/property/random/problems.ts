import fc from 'fast-check';
import type { Affinity, NodeSelectorRequirement, Pod } from '../../../lib/apis/kubernetes.ts';
import type { CapacityType } from '../../../lib/apis/labels.ts';
import type { ClusterSnapshot, NodePoolView } from '../../../lib/core/model/cluster-snapshot.ts';
import { anInstanceType, ZONES } from '../../builders/instance-types.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { aDaemonSet, aNode } from '../../builders/nodes.ts';
import { affinityTerm, avoiding, pendingPod, runningPod, spread } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';

const GIB = 2 ** 30;
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const APPS = ['a', 'b', 'c', 'd'] as const;

const TYPES = [
  anInstanceType({ name: 'm5.large', cpu: 2, memoryGib: 8 }),
  anInstanceType({ name: 'm5.xlarge', cpu: 4, memoryGib: 16, pods: 4 }),
  anInstanceType({ name: 'm5.2xlarge', cpu: 8, memoryGib: 32 }),
  anInstanceType({ name: 'c5.xlarge', cpu: 4, memoryGib: 8, price: 0.17 }),
  anInstanceType({ name: 'r5.large', cpu: 2, memoryGib: 16, zones: ZONES.slice(1) }),
  anInstanceType({ name: 'm6g.large', cpu: 2, memoryGib: 8, arch: 'arm64', zones: ZONES.slice(0, 2) }),
  anInstanceType({ name: 't3.small', cpu: 2, memoryGib: 2, capacityTypes: ['spot'], zones: ZONES.slice(2) }),
];

const zone = fc.constantFrom(...ZONES);
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
const key = fc.constantFrom(ZONE, HOSTNAME);

/** The properties of the pods of one deployment. */
const deployment = fc.record({
  replicas: fc.integer({ min: 1, max: 5 }),
  running: fc.integer({ min: 0, max: 2 }),
  cpu: fc.constantFrom(0.1, 0.5, 0.9, 1.5, 3, 9),
  memoryGib: fc.constantFrom(0.25, 1, 3, 12),
  selector: fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    zone.map((one) => ({ [ZONE]: one })),
    fc.constantFrom('amd64', 'arm64').map((one) => ({ 'kubernetes.io/arch': one })),
    fc.constantFrom('on-demand', 'spot').map((one) => ({ 'karpenter.sh/capacity-type': one })),
    fc.constant({ team: 'x' }),
  ),
  requirement: maybe(
    fc.constantFrom(
      asking(ZONE, 'NotIn', ZONES[0]),
      asking(ZONE, 'In', ZONES[1], ZONES[2]),
      asking('karpenter.k8s.aws/instance-family', 'NotIn', 'm5'),
      asking('karpenter.k8s.aws/instance-family', 'In', 'm5', 'c5'),
      asking('karpenter.k8s.aws/instance-cpu', 'Gt', '2'),
      asking('team', 'NotIn', 'x'),
    ),
  ),
  spread: maybe(fc.record({ topologyKey: key, maxSkew: fc.constantFrom(1, 2) })),
  avoids: maybe(fc.record({ topologyKey: key, app: fc.constantFrom(...APPS) })),
  port: maybe(fc.constantFrom(80, 81)),
  tolerates: fc.boolean(),
});

type Deployment = typeof deployment extends fc.Arbitrary<infer T> ? T : never;

function required(one: NodeSelectorRequirement) {
  return { nodeSelectorTerms: [{ matchExpressions: [one] }] };
}

function affinityOf({ requirement, avoids }: Deployment): Affinity {
  return {
    ...(requirement === undefined
      ? {}
      : { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required(requirement) } }),
    ...(avoids === undefined
      ? {}
      : avoiding(
          affinityTerm({ topologyKey: avoids.topologyKey, labelSelector: { matchLabels: { app: avoids.app } } }),
        )),
  };
}

/** The options of a pod of the deployment, for the builders. */
function podOptions(app: string, of: Deployment): Parameters<typeof pendingPod>[0] & object {
  const selector = { labelSelector: { matchLabels: { app } } };
  const ports = of.port === undefined ? {} : { ports: [{ hostPort: of.port }] };
  const requests = { cpu: String(of.cpu), memory: String(of.memoryGib * GIB) };
  return {
    labels: { app },
    containers: [{ name: 'main', resources: { requests }, ...ports }],
    spec: {
      nodeSelector: of.selector,
      affinity: affinityOf(of),
      ...(of.tolerates ? { tolerations: [{ key: 'team', operator: 'Exists' as const }] } : {}),
      ...(of.spread === undefined ? {} : { topologySpreadConstraints: [spread({ ...of.spread, ...selector })] }),
    },
  };
}

const pool = fc.record({
  taint: fc.constantFrom(undefined, undefined, 'NoSchedule' as const, 'PreferNoSchedule' as const),
  zones: fc.oneof(
    fc.constant([]),
    fc.subarray([...ZONES], { minLength: 1 }).map((list) => [asking(ZONE, 'In', ...list)]),
    zone.map((one) => [asking(ZONE, 'NotIn', one)]),
  ),
  capacityTypes: fc.subarray<CapacityType>(['on-demand', 'spot'], { minLength: 1 }),
  limits: fc.oneof(
    fc.constant({}),
    fc.constantFrom('3', '8', '13').map((cpu) => ({ cpu })),
    fc.constantFrom('1', '3').map((nodes) => ({ nodes })),
  ),
  weight: fc.constantFrom(0, 1, 2),
  team: fc.boolean(),
  held: fc.boolean(),
  types: fc.subarray(TYPES, { minLength: 1 }),
});

function poolView(name: string, of: typeof pool extends fc.Arbitrary<infer T> ? T : never): NodePoolView {
  return aPoolView({
    name,
    types: of.types,
    weight: of.weight,
    limits: of.limits,
    requirements: [...of.zones, asking('karpenter.sh/capacity-type', 'In', ...of.capacityTypes)],
    ...(of.team ? { labels: { team: 'x' } } : {}),
    ...(of.taint === undefined ? {} : { taints: [{ key: 'team', effect: of.taint }] }),
  });
}

const node = fc.record({ zone, cpu: fc.constantFrom('2', '8'), tainted: fc.boolean(), team: fc.boolean() });

/** A cluster with pending pods: up to three pools, three nodes and four deployments. */
export const problem: fc.Arbitrary<{ readonly snapshot: ClusterSnapshot; readonly pods: readonly Pod[] }> = fc
  .record({
    deployments: fc.array(deployment, { minLength: 1, maxLength: 4 }),
    pools: fc.array(pool, { minLength: 1, maxLength: 3 }),
    nodes: fc.array(node, { maxLength: 3 }),
    daemon: fc.constantFrom('none', 'amd64', 'all'),
  })
  .map(({ deployments, pools, nodes, daemon }) => {
    const named = deployments.map((of, index) => ({ of, app: APPS[index] ?? 'a' }));
    const pods = named.flatMap(({ of, app }) =>
      Array.from({ length: of.replicas }, (_, index) =>
        pendingPod({ name: `${app}-${index}`, ...podOptions(app, of) }),
      ),
    );
    const running =
      nodes.length === 0 ? [] : named.flatMap(({ of, app }, at) => runningPods(app, of, { at, nodes: nodes.length }));
    const snapshot = aSnapshot({
      nodePools: pools.map((of, index) => poolView(`pool-${index}`, of)),
      nodes: nodes.map((of, index) =>
        aNode({
          name: `node-${index}`,
          zone: of.zone,
          labels: of.team ? { team: 'x' } : {},
          taints: of.tainted ? [{ key: 'team', effect: 'NoSchedule' }] : [],
          allocatable: { cpu: of.cpu, memory: String(32 * GIB), pods: '10' },
        }),
      ),
      pods: running,
      daemonSets:
        daemon === 'none'
          ? []
          : [
              aDaemonSet('logs', {
                ...DAEMON,
                ...(daemon === 'amd64' ? { nodeSelector: { 'kubernetes.io/arch': 'amd64' } } : {}),
              }),
            ],
      nodeClaims: pools.flatMap((of, index) =>
        of.held ? [launchedClaim({ name: `held-${index}`, nodePool: `pool-${index}`, allocatable: {} })] : [],
      ),
    });
    return { snapshot, pods };
  });

const DAEMON = { containers: [{ name: 'main', resources: { requests: { cpu: '0.15' } } }] };

/** Small running pods, distributed over the nodes in turn. */
function runningPods(
  app: string,
  of: Deployment,
  { at, nodes }: { readonly at: number; readonly nodes: number },
): readonly Pod[] {
  const { port: _, ...rest } = of;
  return Array.from({ length: of.running }, (_one, index) => {
    const name = `node-${(at + index) % nodes}`;
    const { containers: _containers, ...options } = podOptions(app, { ...rest, port: undefined });
    return runningPod(name, {
      ...options,
      name: `${app}-running-${index}`,
      containers: [{ name: 'main', resources: { requests: { cpu: '0.1' } } }],
      spec: { ...options.spec, nodeName: name },
    });
  });
}
