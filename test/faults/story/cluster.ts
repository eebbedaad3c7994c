import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { DaemonSet, Deployment, PodDisruptionBudget, PodSpec, PodTemplate } from '../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import type { Catalogue } from '../../../lib/core/instance-type/facts.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import type { Random } from '../../../lib/simulator/random.ts';
import { coreDns, coreDnsBudget, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking, type NodePoolOptions } from '../../builders/node-pools.ts';

/** Nodes that stay unhealthy are replaced, soon enough for a story. */
export const STORY_SETTINGS: ClusterSettings = {
  ...DEFAULT_SETTINGS,
  featureGates: { ...DEFAULT_SETTINGS.featureGates, nodeRepair: true, staticCapacity: true },
  repairAfterMs: { 'Ready=Unknown': 2 * MINUTE_MS },
};

const TYPES = new Set([
  'c7g.large',
  'c7g.xlarge',
  'c7g.2xlarge',
  'm7g.large',
  'm7g.xlarge',
  'm7g.2xlarge',
  'c7g.8xlarge',
]);
export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

const ALL = shippedCatalogue({ region: 'us-east-1', because: 'the test' });

/** A few types in three zones: every run of provisioning resolves all types. */
export const FAULTS_CATALOGUE: Catalogue = {
  ...ALL,
  facts: ALL.facts.filter(({ name }) => TYPES.has(name)),
  offerings: ALL.offerings.filter(({ type, zone }) => TYPES.has(type) && ZONES.includes(zone)),
};

export interface StoryCluster {
  readonly manifests: ClusterManifests;
  readonly isRoomy: boolean;
}

/** A small cluster: NodePools, workloads, PodDisruptionBudgets and DaemonSets. */
export function clusterOf(random: Random): StoryCluster {
  const isRoomy = random.between(0, 4) > 0;
  const pools = [generalPool(random, isRoomy)];
  for (let nth = random.between(0, 3); nth > 0; nth -= 1) pools.push(specialPool(random, `extra-${nth}`));
  const deployments = Array.from({ length: random.between(1, 5) }, (_, nth) => aWorkload(random, `web-${nth + 1}`));
  const podDisruptionBudgets = deployments.flatMap((one) => aBudgetFor(random, one));
  const hasDns = random.between(0, 3) === 0;
  return {
    isRoomy,
    manifests: someManifests({
      nodePools: pools,
      deployments: hasDns ? [...deployments, coreDns] : deployments,
      daemonSets: random.between(0, 2) === 0 ? [aDaemonSet(random)] : [],
      podDisruptionBudgets: hasDns ? [...podDisruptionBudgets, coreDnsBudget] : podDisruptionBudgets,
    }),
  };
}

function chance(random: Random, percent: number): boolean {
  return random.between(0, 100) < percent;
}

function disruptionOf(random: Random): Partial<NodePool['spec']['disruption']> {
  return {
    consolidateAfter: random.pick(['0s', '0s', '30s', '2m']) ?? '0s',
    budgets: random.pick([
      [{ nodes: '100%' }],
      [{ nodes: '1' }],
      [{ nodes: '10%' }],
      [{ nodes: '50%' }],
      [{ nodes: '2' }],
      [{ nodes: '0', schedule: '0 0 * * *', duration: '10m' }, { nodes: '1' }],
    ]) ?? [{ nodes: '100%' }],
  };
}

function timesOf(random: Random): { readonly expireAfter: string; readonly terminationGracePeriod?: string } {
  const grace = random.pick([undefined, undefined, '1m', '3m', '6m']);
  return {
    expireAfter: random.pick(['Never', 'Never', 'Never', '9m', '20m']) ?? 'Never',
    ...(grace !== undefined && { terminationGracePeriod: grace }),
  };
}

/** The labels, annotations and taints of a user begin with it. */
export const USER_DOMAIN = 'example.com/';
/** What the nodes of a NodePool get. */
function marksOf(name: string): Pick<NodePoolOptions, 'labels' | 'annotations'> {
  return { labels: { [`${USER_DOMAIN}team`]: name }, annotations: { [`${USER_DOMAIN}contact`]: `${name} team` } };
}

/** Taints of NodePools. Some workloads tolerate them. */
const POOL_TAINT = `${USER_DOMAIN}pool`;
const STARTUP_TAINT = { key: `${USER_DOMAIN}starting`, effect: 'NoSchedule' } as const;

/** A NodePool for every workload. */
function generalPool(random: Random, isRoomy: boolean): NodePool {
  const capacityTypes = random.pick([['spot', 'on-demand'], ['spot', 'on-demand'], ['spot'], ['on-demand']]) ?? [
    'spot',
  ];
  return aNodePool({
    name: 'general',
    ...marksOf('general'),
    requirements: [
      asking('karpenter.sh/capacity-type', 'In', ...capacityTypes),
      asking('karpenter.k8s.aws/instance-family', 'In', 'c7g', 'm7g'),
      asking('topology.kubernetes.io/zone', 'In', ...ZONES),
      ...(chance(random, 60) ? [asking('karpenter.k8s.aws/instance-cpu', 'Lt', random.pick(['3', '5']) ?? '5')] : []),
    ],
    ...(chance(random, 25) && { startupTaints: [STARTUP_TAINT] }),
    ...timesOf(random),
    disruption: disruptionOf(random),
    ...(!isRoomy && {
      limits: random.pick([{ nodes: '2' }, { nodes: '3' }, { cpu: '8' }, { cpu: '12', nodes: '4' }]) ?? { nodes: '2' },
    }),
  });
}

/** A NodePool with a weight, fewer types and limits. */
function specialPool(random: Random, name: string): NodePool {
  return aNodePool({
    name,
    ...marksOf(name),
    weight: random.between(1, 50),
    requirements: [
      asking('karpenter.sh/capacity-type', 'In', random.pick(['spot', 'on-demand']) ?? 'spot'),
      asking('karpenter.k8s.aws/instance-family', 'In', random.pick(['c7g', 'm7g']) ?? 'c7g'),
      asking('topology.kubernetes.io/zone', 'In', random.pick(ZONES) ?? 'us-east-1a'),
    ],
    ...(chance(random, 30) && { taints: [{ key: POOL_TAINT, value: name, effect: 'NoSchedule' }] }),
    ...timesOf(random),
    disruption: disruptionOf(random),
    limits: random.pick([{ nodes: '1' }, { nodes: '3' }, { cpu: '4' }, { cpu: '16' }]) ?? { nodes: '2' },
  });
}

/** A NodePool with a fixed number of nodes, for pods that tolerate its taint or for any. */
export function staticPool(random: Random): NodePool {
  const replicas = random.between(0, 4);
  const pool = aNodePool({
    name: 'static',
    requirements: [
      asking('karpenter.sh/capacity-type', 'In', random.pick(['spot', 'on-demand']) ?? 'spot'),
      asking('karpenter.k8s.aws/instance-family', 'In', 'c7g'),
      asking('topology.kubernetes.io/zone', 'In', ...ZONES),
    ],
    ...(chance(random, 50) && { taints: [{ key: POOL_TAINT, value: 'static', effect: 'NoSchedule' }] }),
    ...timesOf(random),
    disruption: disruptionOf(random),
  });
  const nodes = random.pick([undefined, undefined, replicas, replicas + 1]);
  return {
    ...pool,
    spec: { ...pool.spec, replicas, ...(nodes !== undefined && { limits: { nodes: String(nodes) } }) },
  };
}

export function aWorkload(random: Random, name: string): Deployment {
  const labels = { app: name };
  const selector = { matchLabels: labels };
  const cpu = random.pick(['200m', '500m', '1', '1', '1500m']) ?? '1';
  const shape = random.between(0, 12);
  const spec: PodSpec = {
    containers: [{ name: 'main', resources: { requests: { cpu, memory: '256Mi' } } }],
    ...(chance(random, 40) && { terminationGracePeriodSeconds: random.pick([0, 5, 60, 120]) ?? 5 }),
    ...(chance(random, 30) && { tolerations: [{ key: POOL_TAINT, operator: 'Exists' }] }),
    ...(shape === 0 && { topologySpreadConstraints: [spread('DoNotSchedule', labels)] }),
    ...(shape === 1 && { topologySpreadConstraints: [spread('ScheduleAnyway', labels)] }),
    ...(shape <= 4 &&
      shape >= 2 && {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: selector },
            ],
          },
        },
      }),
    ...(shape === 8 && {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'topology.kubernetes.io/zone', labelSelector: selector },
          ],
        },
      },
    }),
    ...((shape === 5 || shape === 9) && {
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `${name}-data` } }],
    }),
    ...(shape === 6 && { nodeSelector: { 'topology.kubernetes.io/zone': random.pick(ZONES) ?? '' } }),
    ...(shape === 7 && { priorityClassName: 'system-cluster-critical' }),
  };
  const kept = random.pick([undefined, undefined, undefined, undefined, '4m', 'true']);
  const template: PodTemplate = {
    metadata: { labels, ...(kept !== undefined && { annotations: { 'karpenter.sh/do-not-disrupt': kept } }) },
    spec,
  };
  return {
    metadata: { name, namespace: 'default' },
    spec: { replicas: random.pick([0, 1, 2, 3, 4, 6]) ?? 1, selector, template },
  };
}

function spread(whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway', labels: Readonly<Record<string, string>>) {
  return {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable,
    labelSelector: { matchLabels: labels },
  };
}

function aBudgetFor(random: Random, { metadata, spec }: Deployment): readonly PodDisruptionBudget[] {
  const allowed = random.pick([
    undefined,
    undefined,
    { maxUnavailable: 1 },
    { maxUnavailable: '34%' },
    { minAvailable: 1 },
    { minAvailable: '50%' },
    { maxUnavailable: 0 },
    { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' as const },
  ]);
  if (allowed === undefined) return [];
  return [{ metadata: { name: metadata.name, namespace: 'default' }, spec: { selector: spec.selector, ...allowed } }];
}

function aDaemonSet(random: Random): DaemonSet {
  const labels = { app: 'agent' };
  return {
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...(chance(random, 50) && { priorityClassName: 'system-node-critical' }),
          ...(chance(random, 30) && { tolerations: [{ operator: 'Exists' as const }] }),
          containers: [
            { name: 'main', resources: { requests: { cpu: random.pick(['100m', '100m', '400m']) ?? '100m' } } },
          ],
        },
      },
    },
  };
}
