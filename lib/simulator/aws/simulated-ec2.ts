import { formatTime } from '../../apis/formats/time.ts';
import { type CapacityType, NODE_CLAIM_TAG } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import type { VcpuQuota } from '../../apis/scenario/scenario.ts';
import { compareText } from '../../core/compare-text.ts';
import { fingerprint } from '../../core/identity.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { placementOfTemplate } from '../../core/instance-type/offerings/unavailable.ts';
import type { FleetOverride, Instance, LaunchRequest } from '../../core/model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../core/model/resolved-node-class.ts';
import type {
  CloudProvider,
  DescribedInstance,
  InstanceName,
  InstanceOwner,
  LaunchOutcome,
  MissingCapacity,
} from '../../ports/cloud-provider.ts';
import { NotOwnedError } from '../../ports/errors.ts';
import type { Random } from '../random.ts';
import type { InstanceLedger } from '../summary/instance-ledger.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import { nodeNameOf } from './node-name.ts';
import { noteLaunch } from './note-launch.ts';
import { QUOTA_ERRORS, type QuotaError, type Quotas, simulatedQuotas } from './simulated-quotas.ts';
import { countedReservations, isSimulatedReservationUsedUp, reservationsNow } from './simulated-reservations.ts';
import { simulatedProfile, simulatedResolution } from './simulated-resolution.ts';

/** The time from the response of CreateFleet to a running instance. */
const PENDING_MS = [1_000, 3_000] as const;
/** The time that EC2 takes to shut down an instance. */
const SHUTDOWN_MS = [10_000, 25_000] as const;
/** The time from the interruption warning to the interruption of a spot instance. */
const SPOT_WARNING_MS = 120_000;

/** Offerings without capacity. An absent list matches all values. */
export interface Blackout {
  readonly instanceTypes?: readonly string[];
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
}

export interface SimulatedInstance extends DescribedInstance {
  readonly cluster: string;
  readonly endedAtMs?: number;
}

/** EC2 in memory: launches return at once, and instances boot and shut down in virtual time. Blackouts limit the capacity. */
export interface SimulatedEc2 extends CloudProvider {
  /** All instances, including terminated ones. */
  readonly instances: () => readonly SimulatedInstance[];
  /** Starts a blackout. *Shape:* a function that ends it. */
  blackOut(blackout: Blackout): () => void;
  /** Limits the vCPUs of running instances. *Shape:* a function that removes the quota. */
  addQuota(quota: VcpuQuota): () => void;
  /** Sends the interruption warning, and terminates the instance two minutes later. */
  interruptSpot(instanceId: string): void;
  /** Removes the tags of an instance, as a user may do. *Shape:* a function that adds them again. */
  removeTags(instanceId: string): () => void;
  /** The status checks of the instance fail from now on. */
  impair(instanceId: string): void;
  isImpaired(instanceId: string): boolean;
  /** The status checks of the instance succeed again. */
  recover(instanceId: string): void;
  /** Fleets launch this share of their instances from now on, and at least one. */
  limitFleets(share: number): void;
  /** Publishes images of this version, which the alias `latest` selects from now on. */
  releaseImages(version: string): void;
  /** Adds an instance that the simulation did not launch. */
  addInstance(instance: SimulatedInstance): void;
}

export interface Ec2World {
  /** The cluster that instances join. */
  readonly cluster: string;
  readonly catalogue: Catalogue;
  readonly timetable: Timetable;
  readonly random: Random;
  readonly timeline: Timeline;
  /** The capacity reservations before the first launch. @default none */
  readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  /** Counts the instances and their cost. @default they are not counted */
  readonly ledger?: InstanceLedger;
  /** Called when an instance is launched, with the claim that gets it. */
  readonly onLaunch: (instance: SimulatedInstance) => void;
  readonly onGone: (instance: SimulatedInstance) => void;
  /** Called with each EventBridge event. */
  readonly onEvent: (event: unknown) => void;
}

interface Ec2State {
  readonly world: Ec2World;
  readonly instances: Map<string, SimulatedInstance>;
  /** Terminated instances, which EC2 shows only by their ids. */
  readonly gone: Set<string>;
  /** A digest of the request, and the response, of each client token: the same request gets the same response. */
  readonly answers: Map<string, { readonly request: string; readonly answer: LaunchOutcome }>;
  readonly blackouts: Set<Blackout>;
  readonly quotas: Quotas;
  readonly counted: () => readonly ResolvedCapacityReservation[];
  /** The time from which the status checks of an instance fail. */
  readonly impairedSince: Map<string, number>;
  /** The share of its instances that a fleet launches. */
  fleetShare: number;
  /** The version that the alias `latest` selects. @default the first one */
  latest?: string;
}

export function simulatedEc2(world: Ec2World): SimulatedEc2 {
  const instances = new Map<string, SimulatedInstance>();
  const state: Ec2State = {
    world,
    instances,
    counted: countedReservations(world, instances),
    gone: new Set(),
    answers: new Map(),
    blackouts: new Set(),
    quotas: simulatedQuotas(world.catalogue),
    impairedSince: new Map(),
    fleetShare: 1,
  };
  const { blackouts, impairedSince } = state;
  return {
    instances: () => [...instances.values()],
    describeCatalogue: async () => world.catalogue,
    resolveNodeClass: async (nodeClass) => ({
      kind: 'resolved',
      nodeClass: simulatedResolution({ ...world, ...state }, nodeClass),
    }),
    ensureInstanceProfile: async (nodeClass) => ({ kind: 'ready', name: simulatedProfile(world, nodeClass) }),
    removeUnusedInstanceProfiles: async () => {},
    releaseNodeClass: async () => {},
    removeOldLaunchTemplates: async () => {},
    whyNotAuthorized: async () => undefined,
    admitLaunch: async () => ({ kind: 'admitted' }),
    launch: async (request) => answerOf(state, request) ?? launch(state, request),
    describeInstances: async (cluster, ids) =>
      (ids === undefined ? listed(state, cluster) : withIds(state, cluster, ids)).toSorted(byId),
    instanceOwners: async (ids) => ownersAmong(state, ids),
    describeInstanceHealth: async (ids) =>
      [...impairedSince]
        .filter(([id]) => ids.includes(id) && !state.gone.has(id))
        .map(([id, systemImpairedSinceMs]) => ({ id, systemImpairedSinceMs, events: [] }))
        .toSorted(byId),
    shiftedZones: async () => [],
    autoMode: async () => false,
    ...tagging(state),
    terminate: async (cluster, id) => terminate(state, cluster, instances.get(id)),
    blackOut(blackout) {
      blackouts.add(blackout);
      return () => blackouts.delete(blackout);
    },
    addQuota: (quota) => state.quotas.add(quota),
    removeTags: (instanceId) => removeTags(state, instanceId),
    interruptSpot: (instanceId) => interruptSpot(state, instanceId),
    impair: (instanceId) => void impairedSince.set(instanceId, impairedSince.get(instanceId) ?? world.timetable.now()),
    isImpaired: (instanceId) => impairedSince.has(instanceId),
    recover: (instanceId) => void impairedSince.delete(instanceId),
    releaseImages(version) {
      state.latest = version;
    },
    addInstance(instance) {
      instances.set(instance.id, instance);
      if (instance.cluster === world.cluster) world.ledger?.begin(instance, true);
    },
  };
}

function interruptSpot(state: Ec2State, instanceId: string): void {
  const { world, instances } = state;
  world.ledger?.interrupted();
  const detail = { 'instance-id': instanceId, 'instance-action': 'terminate' };
  world.onEvent(eventOf(world, 'EC2 Spot Instance Interruption Warning', detail));
  world.timetable.after(SPOT_WARNING_MS, () => shutDown(state, instances.get(instanceId)));
}

function removeTags({ instances }: Ec2State, instanceId: string): () => void {
  const instance = instances.get(instanceId);
  if (instance === undefined) return () => {};
  const { cluster, nodeClaim, nodePool } = instance;
  const write = (tags: Pick<SimulatedInstance, 'cluster' | 'nodeClaim' | 'nodePool'>): void =>
    void instances.set(instanceId, { ...(instances.get(instanceId) ?? instance), ...tags });
  write({ cluster: '', nodeClaim: '', nodePool: '' });
  return () => write({ cluster, nodeClaim, nodePool });
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compareText(a.id, b.id);
}

function ownersAmong({ instances }: Ec2State, ids: readonly string[]): readonly InstanceOwner[] {
  return ids.flatMap((id) => {
    const instance = instances.get(id);
    if (instance === undefined || instance.endedAtMs !== undefined) return [];
    return [{ instanceId: id, cluster: instance.cluster, nodeClaim: instance.nodeClaim }];
  });
}

function listed({ instances, gone }: Ec2State, cluster: string): SimulatedInstance[] {
  return [...instances.values()].filter((instance) => instance.cluster === cluster && !gone.has(instance.id));
}

/** The instances with the ids, also terminated ones; those of other owners are marked. */
function withIds({ instances, gone }: Ec2State, cluster: string, ids: readonly string[]): DescribedInstance[] {
  return [...instances.values()]
    .filter(({ id }) => ids.includes(id))
    .map((one) => ({
      ...one,
      ...(gone.has(one.id) && { state: 'terminated' }),
      ...(one.cluster !== cluster && { untagged: true }),
    }));
}

/** C51: EC2 refuses a used token with other parameters. */
function answerOf({ answers }: Ec2State, request: LaunchRequest): LaunchOutcome | undefined {
  const known = answers.get(request.clientToken);
  if (known === undefined || known.request === digestOf(request)) return known?.answer;
  return {
    kind: 'spent',
    missing: [],
    message: `the client token ${request.clientToken} was used with other parameters`,
  };
}

/** A request has hundreds of lines, and a long simulation thousands of requests. */
function digestOf(request: LaunchRequest): string {
  return fingerprint(JSON.stringify(request), 16);
}

function tagging(state: Ec2State): Pick<SimulatedEc2, 'tagInstance' | 'nameInstances' | 'limitFleets'> {
  return {
    tagInstance: async (cluster, instanceId, { [NODE_CLAIM_TAG]: nodeClaim }) =>
      nodeClaim === undefined ? undefined : nameInstance(state, cluster, { instanceId, nodeClaim }),
    async nameInstances(cluster, names) {
      for (const name of names) nameInstance(state, cluster, name);
    },
    limitFleets(share) {
      state.fleetShare = share;
    },
  };
}

/** The tag with the claim of an instance of the cluster. */
function nameInstance({ instances }: Ec2State, cluster: string, { instanceId, nodeClaim }: InstanceName): void {
  const instance = instances.get(instanceId);
  if (instance?.cluster === cluster) instances.set(instanceId, { ...instance, nodeClaim });
}

/** One instance for each claim, as long as offerings have capacity. */
function launch(state: Ec2State, request: LaunchRequest): LaunchOutcome {
  const { world, answers } = state;
  const { nodeClaim, members = [nodeClaim] } = request;
  const launched: SimulatedInstance[] = [];
  let missing: readonly MissingCapacity[] = [];
  const wanted = Math.max(1, Math.floor(members.length * state.fleetShare));
  while (launched.length < wanted) {
    const found = firstAvailable(request, state);
    ({ missing } = found);
    if (found.line === undefined) break;
    const instance = instanceFor(state, request, found.line);
    launched.push(instance);
    state.instances.set(instance.id, instance);
    world.ledger?.begin(instance);
  }
  const [first, ...others] = launched.map(pick).toSorted(byId);
  const message = whyRefused(missing);
  const isCutShort = launched.length === wanted && wanted < members.length;
  const answer: LaunchOutcome =
    first === undefined
      ? { kind: 'refused', missing, message }
      : {
          kind: 'launched',
          instances: [first, ...others],
          missing,
          ...(missing.length > 0 && { message }),
          ...(isCutShort && { throttled: true }),
        };
  answers.set(request.clientToken, { request: digestOf(request), answer });
  // The timeline gets the result after the call.
  const delayMs = first === undefined ? 0 : world.random.between(...PENDING_MS);
  world.timetable.after(delayMs, () => noteLaunch(world.timeline, request, answer));
  // A machine belongs to its claim, also before the tag of the instance has the name.
  for (const [index, instance] of launched.toSorted(byId).entries())
    world.onLaunch({ ...instance, nodeClaim: members[index] ?? nodeClaim });
  return answer;
}

function whyRefused(missing: readonly MissingCapacity[]): string {
  const limited = missing.filter(({ reason }) => QUOTA_ERRORS.has(reason));
  const reasons = [...new Set(limited.map(({ reason }) => reason))].toSorted(compareText).join(', ');
  const quota = limited.length === 0 ? '' : `: ${limited.length} are above a quota (${reasons})`;
  return `none of ${missing.length} offerings has capacity${quota}`;
}

function instanceFor({ world, instances }: Ec2State, request: LaunchRequest, line: FleetOverride): SimulatedInstance {
  const { instanceType, zone, capacityType, imageId, priceUsdPerHour } = line;
  const { cluster, nodeClaim, nodePool, nodeClass } = request;
  const id = `i-${hexOf(`${request.clientToken}/${instances.size}`)}`;
  const { reservation, securityGroupIds } = request.templates[line.template] ?? {};
  const network = { subnetId: line.subnetId, ...optional({ securityGroupIds }) };
  const what = { id, instanceType, zone, capacityType, imageId, priceUsdPerHour, ...(reservation && { reservation }) };
  return {
    ...what,
    ...network,
    cluster,
    nodeClaim,
    nodePool,
    nodeClass,
    state: 'running',
    launchedAtMs: world.timetable.now(),
    privateDnsName: nodeNameOf(what),
  };
}

function terminate(state: Ec2State, cluster: string, instance: SimulatedInstance | undefined): void {
  if (instance !== undefined && instance.cluster !== cluster && instance.state !== 'shutting-down')
    throw new NotOwnedError(`terminate ${instance.id}: it runs without the ownership tags of cluster ${cluster}`);
  shutDown(state, instance);
}

function shutDown({ world, instances, gone }: Ec2State, instance: SimulatedInstance | undefined): void {
  if (instance === undefined || instance.state === 'shutting-down') return;
  const { timetable, timeline, random } = world;
  const { id, nodeClaim } = instance;
  const ended: SimulatedInstance = { ...instance, state: 'shutting-down', endedAtMs: timetable.now() };
  instances.set(id, ended);
  world.ledger?.end(id);
  world.onEvent(stateChange(world, id, 'shutting-down'));
  timetable.after(random.between(...SHUTDOWN_MS), () => {
    gone.add(id);
    world.ledger?.gone(id);
    timeline.note({ kind: 'instance-terminated', instanceId: id, nodeClaim, costUsd: costOf(ended, timetable.now()) });
    world.onGone(ended);
    world.onEvent(stateChange(world, id, 'terminated'));
  });
}

/** The cost of an instance from launch to termination, or until now. *Units:* USD. @internal */
export function costOf(instance: SimulatedInstance, nowMs: number): number {
  return (((instance.endedAtMs ?? nowMs) - instance.launchedAtMs) / 3_600_000) * instance.priceUsdPerHour;
}

/** The cheapest override with capacity, and the cheaper ones without capacity (C47, C53). */
function firstAvailable(
  request: LaunchRequest,
  { world, instances, blackouts, quotas }: Ec2State,
): { readonly line: FleetOverride | undefined; readonly missing: readonly MissingCapacity[] } {
  const lines = request.overrides.toSorted((a, b) => a.priceUsdPerHour - b.priceUsdPerHour);
  const reservations = reservationsNow(world.capacityReservations ?? [], instances.values());
  const isDark = (line: FleetOverride): boolean =>
    isSimulatedReservationUsedUp(line, reservations) || [...blackouts].some((blackout) => covers(blackout, line));
  const missing: MissingCapacity[] = [];
  for (const line of lines) {
    const exceeded = isDark(line) ? undefined : quotas.refuses(line, instances.values());
    if (exceeded === undefined && !isDark(line)) return { line, missing };
    missing.push(missingLine(request, line, exceeded));
  }
  return { line: undefined, missing };
}

function missingLine(
  { templates }: LaunchRequest,
  { instanceType, zone, capacityType, reservationId, template }: FleetOverride,
  exceeded: QuotaError | undefined,
): MissingCapacity {
  const placement = placementOfTemplate(templates[template]);
  return reservationId === undefined
    ? { instanceType, zone, capacityType, ...placement, reason: exceeded ?? 'InsufficientInstanceCapacity' }
    : { instanceType, zone, capacityType, reservationId, reason: 'ReservationCapacityExceeded' };
}

function covers(blackout: Blackout, line: FleetOverride): boolean {
  const { instanceTypes, zones, capacityTypes } = blackout;
  return (
    (instanceTypes === undefined || instanceTypes.includes(line.instanceType)) &&
    (zones === undefined || zones.includes(line.zone)) &&
    (capacityTypes === undefined || capacityTypes.includes(line.capacityType))
  );
}

function pick(instance: SimulatedInstance): Instance {
  const { id, instanceType, zone, capacityType, imageId, priceUsdPerHour, reservation } = instance;
  return { id, instanceType, zone, capacityType, imageId, priceUsdPerHour, ...(reservation && { reservation }) };
}

function stateChange(world: Ec2World, instanceId: string, state: string): unknown {
  return eventOf(world, 'EC2 Instance State-change Notification', { 'instance-id': instanceId, state });
}

/** The event in the envelope of EventBridge. */
function eventOf({ timetable }: Ec2World, type: string, detail: object): unknown {
  return { version: '0', source: 'aws.ec2', 'detail-type': type, time: formatTime(timetable.now()), detail };
}

/** The hexadecimal part of an instance id. */
function hexOf(text: string): string {
  return Array.from(fingerprint(text, 17), (letter) => (letter.charCodeAt(0) % 16).toString(16)).join('');
}
