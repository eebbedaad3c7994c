import { formatTime } from '../../apis/formats/time.ts';
import type { Node, ResourceList, Taint } from '../../apis/kubernetes.ts';
import { ARCH, HOSTNAME, INSTANCE_TYPE, OS, REGION, REGISTERED, ZONE } from '../../apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../apis/taints.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { applyOverlays } from '../../core/instance-type/overlays/overlays.ts';
import { instanceTypesFor } from '../../core/instance-type/resolve.ts';
import { providerIdOf } from '../../core/model/node-claim-record.ts';
import { formatResources } from '../../core/resources/resources.ts';
import { setNodeCondition } from '../kubernetes/node-conditions.ts';
import { deleteNode } from '../kubernetes/simulated-cluster.ts';
import { type KubernetesState, writeNode } from '../kubernetes/state.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import { nodeNameOf } from './node-name.ts';
import type { SimulatedInstance } from './simulated-ec2.ts';
import type { ZonePower } from './zone-power.ts';

/** The time from CreateFleet to the registration of the node, and from there to Ready. */
const BOOT_MS = [25_000, 45_000] as const;
const READY_MS = [4_000, 10_000] as const;
/** The time after which startup taints are removed. */
const STARTUP_TAINTS_MS = 10_000;

const NOT_READY_TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

export interface MachineWorld {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly catalogue: Catalogue;
  /** @default all zones have power */
  readonly power?: ZonePower;
  /** What happens to a new instance. @default it boots as usual */
  readonly fate?: (instance: SimulatedInstance) => MachineFate;
}

/** Whether a node registers, and the additional times until it registers and is Ready. */
export interface MachineFate {
  readonly joins: boolean;
  readonly joinDelayMs: number;
  readonly readyDelayMs: number;
  /** The time from Ready until the not-ready taint is removed. */
  readonly taintDelayMs: number;
}

export const BOOTS_AS_USUAL: MachineFate = { joins: true, joinDelayMs: 0, readyDelayMs: 0, taintDelayMs: 0 };

/** Boots an instance: its kubelet registers the node, and the node becomes Ready. */
export function boot(world: MachineWorld, instance: SimulatedInstance, isAlive: () => boolean): void {
  const { timetable, random, fate } = world;
  const { joins, joinDelayMs, readyDelayMs, taintDelayMs } = fate?.(instance) ?? BOOTS_AS_USUAL;
  const join = (): void => {
    if (!isAlive() || !joins) return;
    if (waitsForPower(world, instance, join)) return;
    joinCluster(world, instance);
    const readyMs = random.between(...READY_MS) + readyDelayMs;
    if (taintDelayMs !== 0) timetable.after(readyMs + taintDelayMs, () => liftNotReady(world, instance));
    timetable.after(readyMs, () => becomeReady(world, instance, { keepsTaint: taintDelayMs > 0 }));
  };
  timetable.after(random.between(...BOOT_MS) + joinDelayMs, join);
}

/** Whether the instance has no power. Then it goes on when it has started again. */
function waitsForPower({ power }: MachineWorld, { zone }: SimulatedInstance, goOn: () => void): boolean {
  if (power?.isOff(zone) !== true) return false;
  power.onceRestarted(zone, goOn);
  return true;
}

function joinCluster(world: MachineWorld, instance: SimulatedInstance): void {
  const { state, timetable, timeline, catalogue } = world;
  const name = nodeNameOf(instance);
  const facts = catalogue.facts.find((one) => one.name === instance.instanceType);
  const { capacity, allocatable } = resourcesOf(world, instance);
  const node: Node = {
    metadata: {
      name,
      uid: `node-${instance.id}`,
      creationTimestamp: formatTime(timetable.now()),
      labels: {
        [HOSTNAME]: name,
        [INSTANCE_TYPE]: instance.instanceType,
        [ZONE]: instance.zone,
        [REGION]: catalogue.region,
        [ARCH]: facts?.architecture ?? 'amd64',
        [OS]: 'linux',
      },
    },
    spec: { providerID: providerIdOf(instance), taints: [UNREGISTERED_TAINT, NOT_READY_TAINT] },
    status: { capacity, allocatable, conditions: [{ type: 'Ready', status: 'False' }] },
  };
  writeNode(state, node);
  timeline.note({ kind: 'node-joined', node: name, nodeClaim: instance.nodeClaim });
  state.onReview({ resource: 'nodes', name });
}

/** The resources of the instance type, with those that NodeOverlays add. */
function resourcesOf(
  { state, catalogue }: MachineWorld,
  instance: SimulatedInstance,
): { readonly capacity: ResourceList; readonly allocatable: ResourceList } {
  const nodeClass = state.nodeClasses.get(instance.nodeClass);
  const nodePool = [...state.nodePools.values()].find((one) => one.metadata.name === instance.nodePool);
  if (nodeClass === undefined || nodePool === undefined) return { capacity: {}, allocatable: {} };
  const facts = catalogue.facts.filter((one) => one.name === instance.instanceType);
  const overlays = [...state.nodeOverlays.values()];
  // A type without a price may run, for example in a capacity block.
  const offerings = catalogue.offerings
    .filter(({ type }) => type === instance.instanceType)
    .map((one) => ({ ...one, onDemandUsdPerHour: one.onDemandUsdPerHour ?? 0 }));
  const instanceTypes = instanceTypesFor({ ...catalogue, facts, offerings }, nodeClass);
  const { views } = applyOverlays([{ nodePool, instanceTypes }], overlays);
  const { capacity = {}, allocatable = {} } = views[0]?.instanceTypes[0] ?? {};
  return { capacity: formatResources(capacity), allocatable: formatResources(allocatable) };
}

/** Removes the taint of a node that is not Ready, as the node lifecycle controller does. */
function liftNotReady({ state }: MachineWorld, instance: SimulatedInstance): void {
  const node = state.nodes.get(nodeNameOf(instance));
  if (node === undefined) return;
  writeNode(state, { ...node, spec: { ...node.spec, taints: withoutNotReady(node) } });
  state.onReview({ resource: 'nodes', name: node.metadata.name });
}

function withoutNotReady({ spec }: Node): readonly Taint[] {
  return (spec?.taints ?? []).filter((taint) => taint.key !== NOT_READY_TAINT.key);
}

function becomeReady(
  world: MachineWorld,
  instance: SimulatedInstance,
  { keepsTaint }: { readonly keepsTaint: boolean },
): void {
  if (waitsForPower(world, instance, () => becomeReady(world, instance, { keepsTaint }))) return;
  const { state, timetable, timeline } = world;
  const node = state.nodes.get(nodeNameOf(instance));
  if (node === undefined) return;
  const taints = keepsTaint ? (node.spec?.taints ?? []) : withoutNotReady(node);
  const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime: formatTime(timetable.now()) }];
  writeNode(state, { ...node, spec: { ...node.spec, taints }, status: { ...node.status, conditions } });
  timeline.note({ kind: 'node-ready', node: node.metadata.name });
  state.onReview({ resource: 'nodes', name: node.metadata.name });
  timetable.after(STARTUP_TAINTS_MS, () => liftStartupTaints({ state, timetable }, instance));
}

/** Removes the startup taints, because the simulated cluster has no component that would remove them. A node without its registration gets them later. */
export function liftStartupTaints(
  { state, timetable }: Pick<MachineWorld, 'state' | 'timetable'>,
  instance: SimulatedInstance,
): void {
  const node = state.nodes.get(nodeNameOf(instance));
  // The tag of an instance may have had the name of a group, and its adoption gave it a NodeClaim of another name.
  const nodeClaim =
    state.nodeClaims.get(instance.nodeClaim) ??
    [...state.nodeClaims.values()].find(({ status }) => status?.providerID === providerIdOf(instance));
  const startup = nodeClaim?.spec.startupTaints ?? [];
  if (node === undefined || (nodeClaim !== undefined && startup.length === 0)) return;
  // The node gets its startup taints at its registration.
  if (nodeClaim === undefined || node.metadata.labels?.[REGISTERED] !== 'true')
    return void timetable.after(STARTUP_TAINTS_MS, () => liftStartupTaints({ state, timetable }, instance));
  const taints = (node.spec?.taints ?? []).filter(
    (taint) => !startup.some((one) => one.key === taint.key && one.effect === taint.effect),
  );
  writeNode(state, { ...node, spec: { ...node.spec, taints } });
  state.onReview({ resource: 'nodes', name: node.metadata.name });
}

/** Deletes the node of a terminated instance, as the cloud node controller does. */
export function vanish({ state, timetable, timeline }: MachineWorld, instance: SimulatedInstance): void {
  const node = state.nodes.get(nodeNameOf(instance));
  if (node === undefined) return;
  // With a finalizer, the node stays, and its taint keeps new pods away.
  setNodeCondition(state, node, { type: 'Ready', status: 'Unknown', clock: timetable });
  deleteNode(state, node.metadata.name, timetable);
  timeline.note({ kind: 'node-gone', node: node.metadata.name });
}
