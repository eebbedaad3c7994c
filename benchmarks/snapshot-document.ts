import type { EC2NodeClass } from '../lib/apis/ec2-node-class.ts';
import { shippedCatalogue } from '../lib/catalogue/figures.ts';
import { instanceTypesFor } from '../lib/core/instance-type/resolve.ts';
import type { InstanceType } from '../lib/core/model/instance-type.ts';
import { formatResources, subtract } from '../lib/core/resources/resources.ts';
import { randomFrom } from '../lib/simulator/random.ts';
import { deployments } from './deployments.ts';
import { existing } from './half-full-nodes.ts';
import { diverse, generic, preferences } from './independent-pods.ts';
import { NODE_POOL, SEVENTH_GENERATION } from './node-pool.ts';
import type { MakeWorkload, Workload } from './workload.ts';
import { type Requests, requestedPods } from './workloads/request-lists.ts';

export const WORKLOADS = ['generic', 'diverse', 'deployments', 'preferences', 'existing'] as const;
export type WorkloadName = (typeof WORKLOADS)[number];

export interface GeneratedCase {
  readonly workload: WorkloadName;
  readonly pods: number;
}

/** The content of a snapshot file: its workload, and the parts that all workloads share. */
export interface SnapshotDocument extends Workload {
  readonly formatVersion: 1;
  readonly name: string;
  readonly description: string;
  readonly seed: number;
  readonly nodePools: readonly object[];
  readonly instanceTypes: readonly object[];
}

/** Any fixed value is suitable. */
const SEED = 20_260_820;

/** A generated snapshot. *Shape:* the same for the same case. */
export function snapshotDocument({ workload, pods }: GeneratedCase): SnapshotDocument {
  const types = marketTypes();
  return {
    formatVersion: 1,
    name: `${workload}-${pods}`,
    description: `${pods} pending pods of the workload ${workload}`,
    seed: SEED,
    nodePools: [NODE_POOL],
    instanceTypes: types.map(typeEntry),
    ...makerOf(workload, types)(randomFrom(SEED), pods),
  };
}

/** Pods with these requests and no constraints, and the daemons of every node, for on-demand nodes of m7i, c7i and r7i. */
export function requestDocument(name: string, requests: readonly Requests[]): SnapshotDocument {
  return {
    formatVersion: 1,
    name: `requests-${name}`,
    description: `${requests.length} pending pods with the requests of ${name}`,
    seed: SEED,
    nodePools: [SEVENTH_GENERATION],
    instanceTypes: marketTypes().map(typeEntry),
    ...requestedPods(requests),
  };
}

/** The workload `existing` with so many nodes. */
export function existingDocument(nodes: number, pods: number): SnapshotDocument {
  const types = marketTypes();
  return { ...snapshotDocument({ workload: 'existing', pods }), ...existing(types, nodes)(randomFrom(SEED), pods) };
}

function makerOf(workload: WorkloadName, types: readonly InstanceType[]): MakeWorkload {
  switch (workload) {
    case 'generic':
      return generic;
    case 'diverse':
      return diverse;
    case 'deployments':
      return deployments;
    case 'preferences':
      return preferences;
    case 'existing':
      return existing(types);
  }
}

/** The types that a NodeClass with subnets in three zones of us-east-1 can launch. */
export function marketTypes(): readonly InstanceType[] {
  const catalogue = shippedCatalogue({ region: 'us-east-1', because: 'the benchmark' });
  const zones = new Set(['us-east-1a', 'us-east-1b', 'us-east-1c']);
  return instanceTypesFor(catalogue, NODE_CLASS, { zones }).map((type) => ({
    ...type,
    offerings: type.offerings.filter(({ available }) => available),
  }));
}

const NODE_CLASS: EC2NodeClass = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { cluster: 'benchmark' } }],
    securityGroupSelectorTerms: [{ tags: { cluster: 'benchmark' } }],
    role: 'node',
    metadataOptions: {
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 1,
      httpTokens: 'required',
    },
  },
};

export function typeEntry({ name, capacity, allocatable, requirements, offerings }: InstanceType): object {
  return {
    name,
    capacity: formatResources(capacity),
    overhead: formatResources(overheadOf(capacity, allocatable)),
    requirements,
    offerings: offerings.map(({ priceUsdPerHour: price, ...offering }) => ({ ...offering, price })),
  };
}

function overheadOf(capacity: InstanceType['capacity'], allocatable: InstanceType['allocatable']) {
  return Object.fromEntries(Object.entries(subtract(capacity, allocatable)).filter(([, amount]) => amount !== 0));
}
