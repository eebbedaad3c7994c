import type { Pod, ResourceList } from '../../lib/apis/kubernetes.ts';
import { typeRequirements } from '../../lib/core/instance-type/type-requirements.ts';
import type { InstanceType } from '../../lib/core/model/instance-type.ts';
import { singleValues } from '../../lib/core/requirements/requirements.ts';
import { formatResources } from '../../lib/core/resources/resources.ts';
import { type Random, randomFrom } from '../../lib/simulator/random.ts';
import { NODE_CLASS_REF, POOL } from '../node-pool.ts';
import { marketTypes, type SnapshotDocument, typeEntry } from '../snapshot-document.ts';
import { CREATED, HOSTNAME, numbered, pickFrom, pod, ZONE } from '../workload.ts';

const SEED = 20_261_123;
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** Ten pods that fill a node of the type, which is the cheapest for them. */
const PACKED: readonly { readonly type: string; readonly requests: ResourceList }[] = [
  { type: 'c6g.xlarge', requests: { cpu: '390m', memory: '640Mi' } },
  { type: 'm6g.xlarge', requests: { cpu: '390m', memory: '1320Mi' } },
  { type: 'r6g.xlarge', requests: { cpu: '390m', memory: '2720Mi' } },
];

/** Full nodes, each of the cheapest type for its pods: nothing can be saved. */
export function packedCluster(nodes: number): SnapshotDocument {
  const types = new Map(marketTypes().map((type) => [type.name, type]));
  const random = randomFrom(SEED);
  return documentOf(`packed-${nodes}`, {
    requirements: [
      { key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: PACKED.map(({ type }) => type) },
    ],
    nodes: Array.from({ length: nodes }, (_, at) => {
      const { type, requests } = pickFrom(random, PACKED);
      const pods = Array.from({ length: 10 }, () => ({ app: `service-${random.between(0, 60)}`, requests }));
      const place = { zone: ZONES[at % ZONES.length] ?? '', capacityType: 'on-demand' };
      return runningNode(numbered('node', at), { ...place, type: typeNamed(types, type), pods });
    }),
  });
}

/** Nodes of one type, each full with one pod: drift replaces each by a new node, in a command of its own. */
export function onePodCluster(nodes: number): SnapshotDocument {
  const types = new Map(marketTypes().map((type) => [type.name, type]));
  const type = 'c6g.xlarge';
  return documentOf(`one-pod-${nodes}`, {
    requirements: [
      { key: CAPACITY_TYPE, operator: 'In', values: ['on-demand'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [type] },
    ],
    nodes: Array.from({ length: nodes }, (_, at) => {
      const place = { zone: ZONES[at % ZONES.length] ?? '', capacityType: 'on-demand' };
      const pods = [{ app: `service-${at % 60}`, requests: { cpu: '3', memory: '4Gi' } }];
      return runningNode(numbered('node', at), { ...place, type: typeNamed(types, type), pods });
    }),
  });
}

const USUAL = ['c7g.xlarge', 'r6i.xlarge', 'm5.xlarge', 'm6g.2xlarge', 'm5.2xlarge', 'c6i.2xlarge'];
/** `cpu`: in millicores. */
const SIZES: readonly { readonly cpu: number; readonly requests: ResourceList }[] = [
  { cpu: 100, requests: { cpu: '100m', memory: '256Mi' } },
  { cpu: 250, requests: { cpu: '250m', memory: '512Mi' } },
  { cpu: 500, requests: { cpu: '500m', memory: '1Gi' } },
  { cpu: 1_000, requests: { cpu: '1', memory: '2Gi' } },
];

/** Nodes of six types, spot and on-demand, whose pods request about 45 % of the CPUs. */
export function halfFullCluster(nodes: number): SnapshotDocument {
  const types = new Map(marketTypes().map((type) => [type.name, type]));
  const random = randomFrom(SEED);
  return documentOf(`half-full-${nodes}`, {
    requirements: [
      { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
      { key: CAPACITY_TYPE, operator: 'In', values: ['spot', 'on-demand'] },
      { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
      { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['5'] },
      { key: 'karpenter.k8s.aws/instance-local-nvme', operator: 'DoesNotExist' },
      { key: 'karpenter.k8s.aws/instance-hypervisor', operator: 'In', values: ['nitro'] },
    ],
    nodes: Array.from({ length: nodes }, (_, at) => {
      const type = typeNamed(types, pickFrom(random, USUAL));
      const place = { zone: pickFrom(random, ZONES), capacityType: random.between(0, 10) < 4 ? 'spot' : 'on-demand' };
      const pods = podsFor((type.allocatable['cpu'] ?? 0) * (random.between(10, 85) / 100), random);
      return runningNode(numbered('node', at), { ...place, type, pods });
    }),
  });
}

/** At least one pod, and then more while they request at most so many millicores. */
function podsFor(millicores: number, random: Random): readonly RunningPod[] {
  const pods: RunningPod[] = [];
  for (let left = millicores; left >= 0 || pods.length === 0; ) {
    const { requests, cpu } = pickFrom(random, SIZES);
    left -= cpu;
    if (left >= 0 || pods.length === 0) pods.push({ app: `service-${random.between(0, 40)}`, requests });
  }
  return pods;
}

interface RunningPod {
  readonly app: string;
  readonly requests: ResourceList;
}

interface RunningNode {
  readonly node: object;
  readonly nodeClaim: object;
  readonly pods: readonly Pod[];
}

interface NodeToRun {
  readonly type: InstanceType;
  readonly zone: string;
  readonly capacityType: string;
  readonly pods: readonly RunningPod[];
}

function runningNode(name: string, { type, zone, capacityType, pods }: NodeToRun): RunningNode {
  const providerID = `aws:///${zone}/i-${name}`;
  const labels = {
    ...singleValues(typeRequirements(type)),
    [ZONE]: zone,
    [CAPACITY_TYPE]: capacityType,
    'karpenter.sh/nodepool': POOL,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    [HOSTNAME]: name,
  };
  const metadata = { creationTimestamp: CREATED, labels };
  const size = { capacity: formatResources(type.capacity), allocatable: formatResources(type.allocatable) };
  return {
    node: { metadata: { ...metadata, name }, spec: { providerID }, status: size },
    nodeClaim: {
      metadata: { ...metadata, name: `claim-${name}` },
      spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], expireAfter: '720h' },
      status: { providerID, nodeName: name, ...size },
    },
    pods: pods.map(({ app, requests }, at) => running({ name: `${name}-${at}`, app, requests, nodeName: name })),
  };
}

function running({
  name,
  app,
  requests,
  nodeName,
}: RunningPod & { readonly name: string; readonly nodeName: string }): Pod {
  const made = pod({ name, labels: { app }, requests, spec: { nodeName } });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: app, controller: true };
  return { ...made, metadata: { ...made.metadata, ownerReferences: [owner] }, status: { phase: 'Running' } };
}

function documentOf(
  name: string,
  { requirements, nodes }: { readonly requirements: readonly object[]; readonly nodes: readonly RunningNode[] },
): SnapshotDocument {
  return {
    formatVersion: 1,
    name,
    description: `${nodes.length} nodes`,
    seed: SEED,
    nodePools: [
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: POOL, creationTimestamp: CREATED },
        spec: {
          template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements } },
          disruption: {
            consolidationPolicy: 'WhenEmptyOrUnderutilized',
            consolidateAfter: '0s',
            budgets: [{ nodes: '100%' }],
          },
        },
      },
    ],
    instanceTypes: marketTypes().map(typeEntry),
    nodes: nodes.map(({ node }) => node),
    nodeClaims: nodes.map(({ nodeClaim }) => nodeClaim),
    pods: nodes.flatMap(({ pods }) => pods),
  };
}

function typeNamed(types: ReadonlyMap<string, InstanceType>, name: string): InstanceType {
  const type = types.get(name);
  if (type === undefined) throw new RangeError(`the catalogue has no type ${name}`);
  return type;
}
