/** A cluster that Kerf has launched in the simulator, as the objects, instances and table items that its functions read. */
import { type Pod } from '../../lib/apis/kubernetes.ts';
import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { readManifests } from '../../lib/manifests/read/read-manifests.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { CLUSTER } from '../../lib/simulator/deployment.ts';
import { type OpenSimulation, openSimulation } from '../../lib/simulator/simulation.ts';
import { type InProcessTable, inProcessTable } from '../../test/fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../../test/fakes/memory-bodies.ts';
import type { StoredObject } from '../cluster/etcd.ts';
import { aPod, namespaceNames } from '../cluster/pods.ts';
import { agent, NODE_CLASS, nodePool } from '../simulate/shops.ts';
import type { AwsFacts } from './aws-server.ts';

export const REGION = 'us-east-1';
const MINUTE_MS = 60_000;
const SEED = 20_261_124;
/** Without the agents of the node. */
const PODS_A_NODE = 10;

export interface SimulatedFleet extends AwsFacts {
  /** Of the API server. */
  readonly objects: readonly StoredObject[];
  /** The time at which the fleet was recorded. */
  readonly nowMs: number;
  readonly nodeClaims: readonly string[];
}

/** *Cost:* about 20 ms a node. */
export async function simulatedFleet(nodes: number, onProgress: (nodes: number) => void): Promise<SimulatedFleet> {
  let table: InProcessTable | undefined;
  const catalogue = shippedCatalogue({ region: REGION, because: 'the benchmark' });
  const simulation = openSimulation({
    manifests: manifestsOf(nodes),
    scenario: { name: 'scale', events: [] },
    catalogue,
    seed: SEED,
    durationMs: 60 * MINUTE_MS,
    goesOn: true,
    stores(timetable) {
      table = inProcessTable({ clock: timetable });
      return {
        store: new DynamoDbNodeClaimStore({ ...table, clock: timetable, bodies: memoryBodies() }),
        leases: new DynamoDbLeases({ ...table, clock: timetable }),
        catalogue: new DynamoDbCatalogueStore({ ...table, region: REGION }),
      };
    },
  });
  let settledMs = Infinity;
  while (simulation.timetable.now() < settledMs) {
    if ((await simulation.step()) !== undefined) throw new Error(`${nodes} nodes are not launched after an hour`);
    simulation.timeline.take();
    const { state, timetable } = simulation;
    onProgress(state.nodes.size);
    // Lifecycle and disruption have settled a while after the last pod is bound.
    if (settledMs === Infinity && state.nodes.size >= nodes && isBound(state.pods.values()))
      settledMs = timetable.now() + 10 * MINUTE_MS;
  }
  const { state, ec2, timetable } = simulation;
  if (table === undefined) throw new Error('the simulation has no table');
  return {
    table,
    instances: ec2.instances().filter(({ endedAtMs }) => endedAtMs === undefined),
    zones: new Map(catalogue.offerings.map(({ zone, zoneId = '' }) => [zone, zoneId])),
    objects: objectsOf(state),
    nowMs: timetable.now(),
    nodeClaims: [...state.nodeClaims.keys()],
  };
}

/** An unschedulable pod of the fleet. */
export function aPendingPod(index: number): StoredObject {
  const { key, object } = aPod({ index: 10_000_000 + index, node: undefined });
  const [, namespace = '', name = ''] = key.split('/');
  const main = { requests: { cpu: '750m', memory: '1Gi' } };
  return podObject(
    { metadata: { namespace, name }, spec: { containers: [{ name: 'main', resources: main }] } },
    object,
  );
}

/** Marks NodeClaims of the fleet as deleted, as lifecycle does after `kubectl delete`. */
export async function markDeleted({ table, nowMs, nodeClaims }: SimulatedFleet, count: number): Promise<void> {
  const store = new DynamoDbNodeClaimStore({ ...table, clock: { now: () => nowMs }, bodies: memoryBodies() });
  for (const name of nodeClaims.slice(0, count)) {
    const record = await store.readNodeClaim(CLUSTER, name);
    if (record === undefined) throw new Error(`${name} has no record`);
    const deletion = { reason: 'deleted', message: 'by the benchmark', requestedAtMs: nowMs } as const;
    await store.updateNodeClaim({ ...record, deletion });
  }
}

function isBound(pods: Iterable<Pod>): boolean {
  for (const { spec } of pods) if (spec.nodeName === undefined) return false;
  return true;
}

function manifestsOf(nodes: number) {
  const pool = nodePool({
    architectures: ['amd64', 'arm64'],
    capacityTypes: ['spot', 'on-demand'],
    consolidateAfter: '1m',
    cpu: '8',
  });
  // By name, so that EC2's answers can have the simulated ids.
  const amiSelectorTerms = [{ name: 'simulated-*' }];
  const { role: _, ...spec } = NODE_CLASS.spec;
  const nodeClass = {
    ...NODE_CLASS,
    spec: { ...spec, instanceProfile: 'simulated', amiFamily: 'AL2023', amiSelectorTerms },
  };
  const objects = [pool, nodeClass, agent('network', '50m', '64Mi'), agent('logs', '100m', '200Mi'), base(nodes)];
  const text = objects.map((one) => JSON.stringify(one)).join('\n---\n');
  const { manifests, problems } = readManifests([{ file: 'scale.yaml', text }]);
  if (problems.length > 0) throw new RangeError(JSON.stringify(problems[0]));
  return manifests;
}

function base(nodes: number): object {
  const labels = { app: 'base' };
  const containers = [{ name: 'main', image: 'main', resources: { requests: { cpu: '750m', memory: '1Gi' } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'base' },
    spec: {
      replicas: PODS_A_NODE * nodes,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

function objectsOf(state: OpenSimulation['state']): readonly StoredObject[] {
  const namespaces = ['default', ...namespaceNames()].map((name) =>
    stored(`namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  );
  return [
    ...namespaces,
    ...[...state.nodes.values()].map((node) =>
      stored(`minions/${node.metadata.name}`, { apiVersion: 'v1', kind: 'Node', ...node }),
    ),
    ...[...state.nodeClaims.values()].map((one) => stored(`karpenter.sh/nodeclaims/${one.metadata.name}`, one)),
    ...[...state.nodePools.values()].map((one) => stored(`karpenter.sh/nodepools/${one.metadata.name}`, one)),
    ...[...state.nodeClasses.values()].map((one) =>
      stored(`karpenter.k8s.aws/ec2nodeclasses/${one.metadata.name}`, one),
    ),
    ...state.daemonSets.map((one) =>
      stored(`daemonsets/${one.metadata.namespace}/${one.metadata.name}`, {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        ...one,
        status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      }),
    ),
    ...[...state.pods.values()].map((pod, index) => podObject(pod, aPod({ index, node: pod.spec.nodeName }).object)),
  ];
}

const CLUSTER_SCOPED = /^(minions|karpenter)/;

/** Without the version that the simulator gave it: etcd has its own. */
function stored(key: string, object: object): StoredObject {
  const { metadata, ...rest }: { readonly metadata?: Readonly<Record<string, unknown>> } = object;
  const { resourceVersion: _, namespace, ...kept } = metadata ?? {};
  const isIn = CLUSTER_SCOPED.test(key) ? {} : { namespace };
  return { key, object: { ...rest, metadata: { ...kept, ...isIn } } };
}

/** The pod with the fields of a real one, which make it 8 to 10 KB large. */
function podObject(
  pod: { readonly metadata: Partial<Pod['metadata']>; readonly spec: Pod['spec']; readonly status?: object },
  real: Readonly<Record<string, unknown>>,
): StoredObject {
  const { metadata, spec, status }: Record<string, Record<string, unknown>> = Object(real);
  const { affinity: _a, topologySpreadConstraints: _t, nodeSelector: _n, volumes: _v, ...bulk } = spec ?? {};
  const [main] = [bulk['containers']].flat();
  const containers = pod.spec.containers.map(({ resources }) => ({ ...Object(main), volumeMounts: [], resources }));
  const name = pod.metadata.name ?? '';
  const namespace = pod.metadata.namespace ?? '';
  return stored(`pods/${namespace}/${name}`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ...pod.metadata, labels: { ...Object(metadata?.['labels']), ...pod.metadata.labels } },
    spec: { ...bulk, ...pod.spec, containers },
    status: { ...status, ...pod.status },
  });
}
