import type { CapacityType } from '../../apis/labels.ts';
import { fingerprint } from '../../core/identity.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { FleetOverride, LaunchRequest } from '../../core/node-claim/record.ts';
import type { CloudProvider, DescribedInstance, LaunchOutcome, MissingCapacity } from '../../ports/cloud-provider.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';

/** From the answer of CreateFleet to an instance that runs. */
const PENDING_MS = [1_000, 3_000] as const;
/** How long EC2 takes to shut an instance down. */
const SHUTDOWN_MS = [10_000, 25_000] as const;
/** EC2 warns two minutes before it takes a spot instance back. */
const SPOT_WARNING_MS = 120_000;

/** Offerings that have no capacity; an absent list means every one. */
export interface Blackout {
  readonly instanceTypes?: readonly string[];
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
}

export interface SimulatedInstance extends DescribedInstance {
  readonly cluster: string;
  readonly nodeClass: string;
  readonly launchedAtMs: number;
  readonly endedAtMs?: number;
}

/** EC2 in memory: launches at once, boots and shuts down in virtual time, has as much capacity as the scenario leaves it. */
export interface SimulatedEc2 extends CloudProvider {
  /** Every instance that ever was. */
  readonly instances: () => readonly SimulatedInstance[];
  /** From now on; the answer ends it. */
  blackOut(blackout: Blackout): () => void;
  /** Warns, and two minutes later takes the instance away. */
  interruptSpot(instanceId: string): void;
}

export interface Ec2World {
  /** The cluster that instances join. */
  readonly cluster: string;
  readonly catalogue: Catalogue;
  readonly timetable: Timetable;
  readonly random: Random;
  readonly timeline: Timeline;
  /** An instance runs: its kubelet will join the cluster. */
  readonly onLaunch: (instance: SimulatedInstance) => void;
  readonly onGone: (instance: SimulatedInstance) => void;
  /** EventBridge. */
  readonly onEvent: (event: unknown) => void;
}

export function simulatedEc2(world: Ec2World): SimulatedEc2 {
  const { catalogue, timetable, random } = world;
  const instances = new Map<string, SimulatedInstance>();
  const gone = new Set<string>();
  const answers = new Map<string, LaunchOutcome>();
  const blackouts = new Set<Blackout>();
  const zones = [...new Set(catalogue.offerings.map(({ zone }) => zone))].toSorted();

  const shutDown = (instance: SimulatedInstance): void => {
    if (instance.state === 'shutting-down') return;
    const ended: SimulatedInstance = { ...instance, state: 'shutting-down', endedAtMs: timetable.now() };
    instances.set(instance.id, ended);
    world.onEvent(stateChange(instance.id, 'shutting-down'));
    timetable.after(random.between(...SHUTDOWN_MS), () => {
      gone.add(instance.id);
      const costUsd = costOf(ended, timetable.now());
      world.timeline.note({
        kind: 'instance-terminated',
        instanceId: instance.id,
        nodeClaim: instance.nodeClaim,
        costUsd,
      });
      world.onGone(ended);
      world.onEvent(stateChange(instance.id, 'terminated'));
    });
  };
  const start = (request: LaunchRequest, line: FleetOverride): SimulatedInstance => {
    const { instanceType, zone, capacityType, imageId, priceUsdPerHour } = line;
    const { cluster, nodeClaim, nodeClass } = request;
    const id = `i-${hexOf(`${request.clientToken}/${instances.size}`)}`;
    const what = { id, instanceType, zone, capacityType, imageId, priceUsdPerHour };
    return { ...what, cluster, nodeClaim, nodeClass, state: 'running', launchedAtMs: timetable.now() };
  };
  const isListed = (instance: SimulatedInstance, cluster: string): boolean =>
    instance.cluster === cluster && !gone.has(instance.id);

  return {
    instances: () => [...instances.values()],
    describeCatalogue: async () => catalogue,
    resolveNodeClass: async () => ({
      kind: 'resolved',
      nodeClass: {
        bootstrap: {
          clusterName: world.cluster,
          endpoint: 'https://simulated',
          certificateAuthority: '',
          serviceCidr: '10.100.0.0/16',
        },
        subnets: zones.map((zone) => ({ id: `subnet-${zone}`, zone })),
        securityGroupIds: ['sg-simulated'],
        images: [
          { id: 'ami-simulated-amd64', architecture: 'amd64' },
          { id: 'ami-simulated-arm64', architecture: 'arm64' },
        ],
        instanceProfile: 'simulated',
      },
    }),
    async launch(request) {
      const known = answers.get(request.clientToken);
      if (known !== undefined) return known;
      const { line, missing } = firstAvailable(request, blackouts);
      const instance = line === undefined ? undefined : start(request, line);
      const answer: LaunchOutcome =
        instance === undefined
          ? { kind: 'no-capacity', missing, message: `none of ${request.overrides.length} offerings had capacity` }
          : { kind: 'launched', instance: pick(instance), missing };
      answers.set(request.clientToken, answer);
      // What comes of the call is told after the call.
      timetable.after(instance === undefined ? 0 : random.between(...PENDING_MS), () =>
        note(world.timeline, request, answer),
      );
      if (instance !== undefined) {
        instances.set(instance.id, instance);
        world.onLaunch(instance);
      }
      return answer;
    },
    describeInstances: async (cluster) =>
      [...instances.values()].filter((one) => isListed(one, cluster)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    describeInstance: async (cluster, id) =>
      [...instances.values()].find((one) => one.id === id && isListed(one, cluster)),
    async terminate(cluster, id) {
      const instance = instances.get(id);
      if (instance !== undefined && isListed(instance, cluster)) shutDown(instance);
    },
    blackOut(blackout) {
      blackouts.add(blackout);
      return () => blackouts.delete(blackout);
    },
    interruptSpot(instanceId) {
      world.onEvent({
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': instanceId, 'instance-action': 'terminate' },
      });
      timetable.after(SPOT_WARNING_MS, () => {
        const instance = instances.get(instanceId);
        if (instance !== undefined) shutDown(instance);
      });
    },
  };
}

/** *Units:* USD for the time from launch to the call that ended it, or until now. */
export function costOf(instance: SimulatedInstance, nowMs: number): number {
  return (((instance.endedAtMs ?? nowMs) - instance.launchedAtMs) / 3_600_000) * instance.priceUsdPerHour;
}

/** The cheapest line with capacity, and what lacked it on the way there (C47, C53). */
function firstAvailable(
  request: LaunchRequest,
  blackouts: ReadonlySet<Blackout>,
): { readonly line: FleetOverride | undefined; readonly missing: readonly MissingCapacity[] } {
  const lines = request.overrides.toSorted((a, b) => a.priceUsdPerHour - b.priceUsdPerHour);
  const isDark = (line: FleetOverride): boolean => [...blackouts].some((blackout) => covers(blackout, line));
  const first = lines.findIndex((line) => !isDark(line));
  const missing = lines.slice(0, first === -1 ? lines.length : first).map(({ instanceType, zone, capacityType }) => ({
    instanceType,
    zone,
    capacityType,
    reason: 'InsufficientInstanceCapacity',
  }));
  return { line: lines[first], missing };
}

function covers(blackout: Blackout, line: FleetOverride): boolean {
  const { instanceTypes, zones, capacityTypes } = blackout;
  return (
    (instanceTypes === undefined || instanceTypes.includes(line.instanceType)) &&
    (zones === undefined || zones.includes(line.zone)) &&
    (capacityTypes === undefined || capacityTypes.includes(line.capacityType))
  );
}

function pick({
  id,
  instanceType,
  zone,
  capacityType,
  imageId,
  priceUsdPerHour,
}: SimulatedInstance): (LaunchOutcome & { kind: 'launched' })['instance'] {
  return { id, instanceType, zone, capacityType, imageId, priceUsdPerHour };
}

function note(timeline: Timeline, request: LaunchRequest, answer: LaunchOutcome): void {
  const { nodeClaim } = request;
  if (answer.kind === 'no-capacity')
    return timeline.note({ kind: 'launch-refused', nodeClaim, message: answer.message });
  const { id, instanceType, zone, capacityType, priceUsdPerHour } = answer.instance;
  timeline.note({
    kind: 'instance-launched',
    instanceId: id,
    nodeClaim,
    instanceType,
    zone,
    capacityType,
    priceUsdPerHour,
  });
}

function stateChange(instanceId: string, state: string): unknown {
  return { 'detail-type': 'EC2 Instance State-change Notification', detail: { 'instance-id': instanceId, state } };
}

/** EC2's instance ids are hexadecimal. */
function hexOf(text: string): string {
  const letters = fingerprint(text, 17);
  return [...letters].map((letter) => (letter.charCodeAt(0) % 16).toString(16)).join('');
}
