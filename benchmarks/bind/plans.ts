/** The plans to play: Kerf's for a snapshot, and the recorded one of Karpenter beside it. */
import { readFileSync } from 'node:fs';
import { type Node, type Pod, podKey } from '../../lib/apis/kubernetes.ts';
import { ARCH, CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, NODE_POOL, OS, REGION, ZONE } from '../../lib/apis/labels.ts';
import { isRecord } from '../../lib/apis/record.ts';
import { valuesOf } from '../../lib/core/instance-type/type-requirements.ts';
import type { InstanceType } from '../../lib/core/model/instance-type.ts';
import { schedulePods } from '../../lib/core/provisioning/schedule-pods.ts';
import { podRequests } from '../../lib/core/resources/pod-requests.ts';
import { add, formatResources, parseResources, type Resources, subtract } from '../../lib/core/resources/resources.ts';
import type { PlannedNodeClaim } from '../../lib/core/scheduling/schedule.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { type Provisioning, provisioningOf } from './provisioning.ts';

/** Pods, and the nodes that are planned for them. */
export interface Plan {
  readonly by: 'Kerf' | 'Karpenter';
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** The planned node of each pod, by `namespace/name`. */
  readonly planned: ReadonlyMap<string, string>;
  readonly usdPerHour: number;
  /** @default the plan of another autoscaler */
  readonly provisioning?: Provisioning;
}

/** A planned node, whichever autoscaler has planned it. */
interface PlannedNode {
  readonly name: string;
  readonly type: InstanceType;
  readonly zone: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
  readonly pods: readonly Pod[];
  /** With those of DaemonSets, whose pods are not created here: the node offers less instead. */
  readonly requests: Resources;
}

/** @param resultFile Karpenter's result for the snapshot. @default only Kerf's plan */
export function plansOf(file: string, resultFile: string | undefined): readonly Plan[] {
  const context = { readText: (path: string) => readFileSync(path, 'utf8') };
  const { snapshot, nowMs } = readSnapshot(context, { path: file, nowMs: Date.now() });
  const claims = schedulePods(snapshot, nowMs).newClaims;
  const kerfs = claims.map((claim) => ({ ...plannedNode(claim), name: nodeNameOf(claim) }));
  const plan = { ...planOf('Kerf', kerfs), provisioning: provisioningOf(snapshot, claims, nodeNameOf) };
  if (resultFile === undefined) return [plan];
  const types = new Map(
    snapshot.nodePools.flatMap(({ instanceTypes }) => instanceTypes.map((type) => [type.name, type])),
  );
  const pods = new Map(snapshot.pods.map((pod) => [podKey(pod), pod]));
  return [plan, planOf('Karpenter', recordedNodes(resultFile, types, pods))];
}

function nodeNameOf({ name }: PlannedNodeClaim): string {
  return `kerf-${name}`;
}

/** The node of a claim that Kerf plans, as the cheapest of its offerings. */
export function plannedNode({ name, cheapest: { type, offering }, pods, requests }: PlannedNodeClaim): PlannedNode {
  const { zone, capacityType, priceUsdPerHour: usdPerHour } = offering;
  return { name, type, zone, capacityType, usdPerHour, pods, requests };
}

function planOf(by: Plan['by'], nodes: readonly PlannedNode[]): Plan {
  return {
    by,
    pods: nodes.flatMap(({ pods }) => pods),
    nodes: nodes.map(nodeOf),
    planned: new Map(nodes.flatMap(({ name, pods }) => pods.map((pod) => [podKey(pod), name] as const))),
    usdPerHour: nodes.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0),
  };
}

/** *Errors:* TypeError if the file does not have the fields of Karpenter's result. */
function recordedNodes(
  file: string,
  types: ReadonlyMap<string, InstanceType>,
  pods: ReadonlyMap<string, Pod>,
): readonly PlannedNode[] {
  const result: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const claims: unknown = isRecord(result) ? result['newNodeClaims'] : undefined;
  if (!Array.isArray(claims)) throw new TypeError(`${file}: newNodeClaims must be a list`);
  return claims.map((claim: unknown, index): PlannedNode => {
    if (!isRecord(claim) || !isRecord(claim['cheapestOffering']) || !Array.isArray(claim['pods']))
      throw new TypeError(`${file}: newNodeClaims[${index}] must have pods and cheapestOffering`);
    const { type: name, zone, capacityType, price } = claim['cheapestOffering'];
    const type = types.get(String(name));
    if (type === undefined)
      throw new TypeError(`${file}: newNodeClaims[${index}]: unknown instance type ${String(name)}`);
    return {
      name: `karpenter-${index + 1}`,
      type,
      zone: String(zone),
      capacityType: String(capacityType),
      usdPerHour: Number(price),
      pods: claim['pods'].flatMap((key) => pods.get(String(key)) ?? []),
      requests: parseResources(isRecord(claim['requests']) ? textsOf(claim['requests']) : {}),
    };
  });
}

function textsOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

/** The Node object of a planned node, Ready from the start. */
export function nodeOf({ name, type, zone, capacityType, pods, requests }: PlannedNode): Node {
  const ofDaemons = subtract(requests, add(...pods.map(podRequests)));
  return {
    metadata: {
      name,
      labels: {
        [HOSTNAME]: name,
        [INSTANCE_TYPE]: type.name,
        [ZONE]: zone,
        [REGION]: zone.slice(0, -1),
        [CAPACITY_TYPE]: capacityType,
        [ARCH]: valuesOf(type, ARCH).join(),
        [OS]: 'linux',
        [NODE_POOL]: 'default',
      },
    },
    spec: {},
    status: {
      capacity: formatResources(type.capacity),
      allocatable: formatResources(subtract(type.allocatable, ofDaemons)),
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
    },
  };
}
