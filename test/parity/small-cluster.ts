import type {
  RawInstanceType,
  RawNode,
  RawNodePool,
  RawPlan,
  RawPlannedClaim,
  RawPod,
  RawSnapshot,
} from './verifier/raw-documents.ts';
import { CAPACITY_TYPE, HOSTNAME, INITIALIZED, NODE_POOL, REGISTERED, ZONE } from './verifier/well-known-labels.ts';

/** A cluster for tests of the verifier, small enough to check by hand: 2 types, 2 zones, 1 pool. */

const SMALL = aType({ name: 'small', cpu: '2', price: 0.1 });
const LARGE = aType({ name: 'large', cpu: '8', price: 0.4 });

function aType(options: {
  readonly name: string;
  readonly cpu: string;
  readonly price: number;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}): RawInstanceType {
  const { name, cpu, price, labels = {} } = options;
  return {
    name,
    capacity: { cpu, memory: '16Gi', pods: '10', 'ephemeral-storage': '20Gi' },
    overhead: { kubeReserved: { cpu: '100m' }, evictionThreshold: { memory: '1e+08' } },
    requirements: { 'node.kubernetes.io/instance-type': [name], family: [name.slice(0, 1)], ...labels },
    offerings: ['a', 'b'].flatMap((zone) => [
      { capacityType: 'on-demand', zone, price },
      { capacityType: 'spot', zone, price: price / 2, available: false },
    ]),
  };
}

export function aPool(spec: Partial<RawNodePool['spec']> = {}, template: object = {}): RawNodePool {
  return { metadata: { name: 'pool' }, spec: { template: { spec: template }, ...spec } };
}

export function aPod(name: string, spec: RawPod['spec'] = {}, metadata: Partial<RawPod['metadata']> = {}): RawPod {
  return {
    metadata: { namespace: 'default', labels: { app: 'a' }, ...metadata, name },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }], ...spec },
  };
}

/** A ready node of the pool. */
export function aNode(name: string, over: Partial<RawNode> & { readonly zone?: string } = {}): RawNode {
  const { zone = 'a', metadata, ...rest } = over;
  return {
    metadata: {
      ...metadata,
      name,
      labels: {
        [ZONE]: zone,
        [CAPACITY_TYPE]: 'on-demand',
        [HOSTNAME]: name,
        [NODE_POOL]: 'pool',
        [REGISTERED]: 'true',
        [INITIALIZED]: 'true',
        ...metadata?.labels,
      },
    },
    spec: { providerID: `aws:///${zone}/${name}` },
    status: { capacity: { cpu: '2', memory: '16Gi' }, allocatable: { cpu: '2', memory: '16Gi', pods: '10' } },
    ...rest,
  };
}

export function aSnapshot(over: Partial<RawSnapshot>): RawSnapshot {
  return { nodePools: [aPool()], instanceTypes: [SMALL, LARGE], ...over };
}

/** A claim for the named pods, by default for both types in both zones. */
export function aClaim(
  pods: readonly string[],
  over: Partial<RawPlannedClaim> & { readonly zone?: string; readonly zones?: readonly string[] } = {},
): RawPlannedClaim {
  const { zone, zones = zone === undefined ? ['a', 'b'] : [zone], requirements = {}, ...rest } = over;
  const instanceTypes = over.instanceTypes ?? ['small', 'large'];
  const type = instanceTypes[0] ?? 'small';
  return {
    nodePool: 'pool',
    pods: pods.map((name) => (name.includes('/') ? name : `default/${name}`)),
    requirements: {
      ...(zones.length === 2 ? {} : { [ZONE]: [{ operator: 'In', values: zones }] }),
      ...requirements,
    },
    instanceTypes,
    cheapestOffering: {
      type,
      zone: zones[0] ?? 'a',
      capacityType: 'on-demand',
      price: type === 'large' ? 0.4 : 0.1,
    },
    ...rest,
  };
}

export function aPlan(newNodeClaims: readonly RawPlannedClaim[], over: Partial<RawPlan> = {}): RawPlan {
  const totalHourlyPrice = newNodeClaims.reduce((sum, one) => sum + (one.cheapestOffering?.price ?? 0), 0);
  return { newNodeClaims, existing: [], podErrors: {}, totalHourlyPrice, ...over };
}

/** A plan that places pods on an existing node. */
export function onNode(node: string, ...pods: readonly string[]): RawPlan {
  return aPlan([], { existing: [{ node, pods: pods.map((name) => `default/${name}`) }] });
}

/** The spec of a pod with one container that requests so much cpu. */
export function requests(cpu: string): RawPod['spec'] {
  return { containers: [{ name: 'main', resources: { requests: { cpu } } }] };
}

/** The spec of a pod that uses a host port. */
export function hostPort(port: number, hostIP = ''): RawPod['spec'] {
  return { containers: [{ name: 'main', ports: [{ hostPort: port, hostIP }] }] };
}
