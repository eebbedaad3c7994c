import type { BlockDeviceMapping, ConnectionTracking, MetadataOptions } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { CapacityType } from '../../apis/labels.ts';
import type { NodeClaimSpec } from '../../apis/node-claim.ts';
import { optional } from '../../apis/optional.ts';
import type { Resources } from '../resources/resources.ts';
import type { LabelValues, LaunchTraits, Reservation } from './instance-type.ts';
import type { Reason } from './reasons.ts';

/** One way to launch a claim: a type in a zone under a capacity type, at a price known when it was decided. */
export interface LaunchOption {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly priceUsdPerHour: number;
  /** Of reserved capacity: the reservation that it comes out of. @default none */
  readonly reservationId?: string;
}

/** An instance type among the options, with what a node of it is counted as. */
export interface LaunchType extends LaunchTraits {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** B24: its values of the labels that have minValues. @default the NodePool has no minValues */
  readonly counted?: LabelValues;
}

/** One line of a fleet request: a launch option with what the NodeClass resolves to in that zone. */
export interface FleetOverride extends LaunchOption {
  readonly subnetId: string;
  readonly imageId: string;
  /** What the instance is made like: its place among the request's templates. */
  readonly template: number;
}

/** What instances are made like, whichever type and zone they come in: the content of one launch template (C56, C58). */
export interface LaunchTemplateSpec {
  readonly instanceProfile: string;
  readonly userData: string;
  readonly blockDeviceMappings: readonly BlockDeviceMapping[];
  readonly metadataOptions: MetadataOptions;
  /** Of every network interface (C59). */
  readonly securityGroupIds: readonly string[];
  /** At least one; the first is the primary. */
  readonly networkInterfaces: readonly LaunchInterface[];
  /** Where there are several interfaces, which EC2 wants told one by one. @default the fleet's overrides name it */
  readonly subnetId?: string;
  /** A3.21. @default false */
  readonly detailedMonitoring?: true;
  /** A3.25. @default as EC2 has it */
  readonly nestedVirtualization?: 'enabled' | 'disabled';
  /** C19. @default false */
  readonly enclaves?: true;
  /** C43. @default shared hardware */
  readonly dedicated?: true;
  /** C68. @default none */
  readonly placementGroup?: { readonly id: string; readonly partition?: number };
  /** The one reservation that the instance comes out of. @default none */
  readonly reservation?: HeldReservation;
  /** C60: without `reservation`, EC2 may use a reservation that is open. @default it uses none */
  readonly openReservations?: true;
}

/** A reservation, as an instance of it is told from others (C22). */
export interface HeldReservation {
  readonly id: string;
  readonly kind: NonNullable<Reservation['kind']>;
}

/** One network interface of an instance (C59). */
export interface LaunchInterface {
  readonly networkCard: number;
  readonly device: number;
  readonly kind: 'interface' | 'efa' | 'efa-only';
  /** @default as the subnet has it */
  readonly publicAddress?: boolean;
  /** @default none */
  readonly prefixes?: number;
  /** Its first address is an IPv6 one, and its prefixes are. @default IPv4 */
  readonly ipv6?: true;
  /** @default as EC2 has it */
  readonly connectionTracking?: ConnectionTracking;
}

/**
 * A CreateFleet call, frozen before it is made: a lost reply is replayed verbatim, since EC2 refuses a token that comes
 * with other parameters.
 */
export interface LaunchRequest {
  readonly clientToken: string;
  /** The hash that names the launch templates. @default that of earlier versions, whose requests are replayed word for word */
  readonly templateNames?: 'sha-256';
  readonly cluster: string;
  /** The claim; of a request for several claims, the name of their group, which is in no claim's name (`groupName`). */
  readonly nodeClaim: string;
  /** The claims of a group, by name: one instance for each. @default only `nodeClaim` */
  readonly members?: readonly string[];
  readonly nodePool: string;
  readonly nodeClass: string;
  readonly capacityType: CapacityType;
  /** C47: the prices are NodeOverlays', which EC2 does not know: it is to go by the order. @default it goes by its own */
  readonly prioritized?: true;
  /** C48: the text that the NodeClass wants passed on. @default none */
  readonly context?: string;
  /** Cheapest first, at most 60 types (C42). */
  readonly overrides: readonly FleetOverride[];
  readonly templates: readonly LaunchTemplateSpec[];
  readonly tags: Labels;
}

/** An EC2 instance, as we need to know it. */
export interface Instance {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly imageId: string;
  readonly priceUsdPerHour: number;
  /** What it came out of. @default no reservation */
  readonly reservation?: HeldReservation;
}

export type LaunchState =
  | { readonly kind: 'planned' }
  /** Frozen and perhaps sent: until its outcome is recorded, only this very request may be sent. */
  | {
      readonly kind: 'requested';
      readonly attempt: number;
      readonly request: LaunchRequest;
      readonly atMs: number;
      /** When the first attempt was requested. @default `createdAtMs`, in records of earlier versions */
      readonly firstAtMs?: number;
      /** When it was last to be sent again. @default never */
      readonly sentAgainAtMs?: number;
      /** EC2 does not take it any more; what it may have launched shows by its tags. @default false */
      readonly spent?: true;
    }
  | {
      readonly kind: 'launched';
      readonly attempt: number;
      readonly instance: Instance;
      readonly atMs: number;
      /** When its reservation ended, as far as Kerf noticed. @default it has not ended, or there was none */
      readonly reservedUntilMs?: number;
    }
  /** EC2 refused; the next attempt leaves out what is known to be unavailable. */
  | {
      readonly kind: 'refused';
      readonly attempt: number;
      readonly message: string;
      readonly atMs: number;
      /** When the first attempt was requested. @default `createdAtMs`, in records of earlier versions */
      readonly firstAtMs?: number;
      /** Absent: at once. */
      readonly retryAtMs?: number;
      /** EC2 did not answer, and listed no instance for it. @default EC2 has answered that it launched nothing */
      readonly unknown?: true;
      /** The account launches too much at once, so the claim waits for its turn. @default EC2 refused the launch itself */
      readonly throttled?: true;
    };

/** F1: why a claim goes, in Karpenter's words, for metrics and events. */
export type DeletionReason =
  | 'empty'
  | 'underutilized'
  | 'drifted'
  | 'expired'
  | 'launch_timeout'
  | 'registration_timeout'
  /** The registered node disappeared and did not return. */
  | 'node_lost'
  /** The node was registered and not initialized within the limit of the cluster. */
  | 'initialization_timeout'
  | 'insufficient_capacity'
  | 'garbage_collected'
  | 'unhealthy'
  /** C80. */
  | 'spot_interrupted'
  | 'scheduled_change'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'capacity_reservation_interrupted'
  /** D31: its static NodePool has more nodes than replicas. */
  | 'overprovisioned'
  | 'deleted';

export interface Deletion {
  readonly reason: DeletionReason;
  readonly message: string;
  readonly requestedAtMs: number;
  /** When EC2 announced that it ends the instance, after the deletion. @default it did not, or this is the reason of the deletion */
  readonly interruptedAtMs?: number;
  /** D18: when pods are forced out; absent where the claim has no terminationGracePeriod. */
  readonly deadlineMs?: number;
  /** Its node held nothing but pods that can wait: these go without being asked for. @default they are asked for, as all others */
  readonly atRest?: true;
  readonly drainStartedAtMs?: number;
  /** The API server refuses to evict pods. @default it refuses no eviction */
  readonly evictionsRefused?: EvictionsRefused;
  /** D25: the drain evicts pods with PersistentVolumeClaims. @default false */
  readonly volumes?: true;
  /** D25: since when the instance waits until the volumes of its pods are detached. @default it did not wait */
  readonly volumesAwaitedSinceMs?: number;
  /** D25: since when its volumes cannot be read. @default they were read last, or not yet */
  readonly volumesUnreadSinceMs?: number;
  /** When the instance was first to be terminated: no pods and no volumes were awaited. @default by a version that did not record it */
  readonly drainOverAtMs?: number;
  /** What ended the drain, or the wait for volumes, before it was complete. @default it was complete, or the deadline ended the wait */
  readonly endedEarlyBy?: EarlyEnd;
  /** When EC2 accepted the request to terminate the instance, or was found to shut it down. */
  readonly terminateRequestedAtMs?: number;
  /** EC2 refuses to terminate the instance. @default it has not been requested, or EC2 accepted it */
  readonly terminationRefused?: TerminationRefusal;
  /** The instance has ended, and its Node or NodeClaim object cannot be released. @default no release has failed */
  readonly releaseFailed?: ReleaseFailure;
}

/** The deadline came while pods were left, EC2 ended the instance by itself, or the volumes could not be read. */
export type EarlyEnd = 'TerminationGracePeriodElapsed' | 'InstanceEnded' | 'VolumesUnknown';

export interface EvictionsRefused {
  /** Since the first refusal, or since evictions were accepted after a longer wait. */
  readonly sinceMs: number;
  /** The first pod that can never be evicted, and why. @default the pods may be evicted later */
  readonly never?: { readonly reason: string; readonly message: string };
}

export interface TerminationRefusal {
  /** @default EC2 refused the request */
  readonly reason?: 'InstanceNotTagged';
  readonly message: string;
  readonly sinceMs: number;
  readonly retryAtMs: number;
}

export interface ReleaseFailure {
  /** Of the last failure. */
  readonly message: string;
  /** Since the first failure. */
  readonly sinceMs: number;
}

export interface Consistency {
  readonly sinceMs: number;
  /** @default claim, node and instance are consistent */
  readonly finding?: { readonly reason: Reason; readonly message: string };
}

/** Why a node no longer matches its NodePool or its NodeClass, in the order in which Karpenter compares (D34, C78). Expired is Kerf's own. */
export const DRIFT_REASONS = [
  'NodePoolDrifted',
  'RequirementsDrifted',
  'InstanceTypeNotFound',
  'NodeClassDrift',
  'AMIDrift',
  'SecurityGroupDrift',
  'SubnetDrift',
  'CapacityReservationDrift',
  'Expired',
] as const;

export type DriftReason = (typeof DRIFT_REASONS)[number];

export interface Drift {
  readonly reason: DriftReason;
  readonly message: string;
  /** When the claim began to be drifted. A change of the reason does not change it (E30). */
  readonly sinceMs: number;
}

export type StartTurn = 1 | 2;

/** The state of a NodeClaim: the source of truth, in the table; the NodeClaim object in the cluster is its mirror. */
export interface NodeClaimRecord {
  readonly cluster: string;
  readonly name: string;
  /** Grows by one with every write; a write names the version that it read. */
  readonly version: number;
  readonly decisionId: string;
  readonly nodePool: string;
  /** A1.29: by which Kubernetes deletes the claim with its pool. */
  readonly nodePoolUid?: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: NodeClaimSpec;
  readonly createdAtMs: number;
  /** The pods it was made for, as `namespace/name`: to explain, not to decide. */
  readonly pods: readonly string[];
  /** The `pods` that belong to a CapacityBuffer. They do not exist in the cluster, and no Events refer to them (B65). @default none */
  readonly bufferPods?: readonly string[];
  /** The disruption command that it replaces nodes for. @default it was made for pending pods */
  readonly command?: string;
  /** B67: the turn in which the nodes of its decision are registered together. @default its node is registered as soon as it joins */
  readonly startTurn?: StartTurn;
  /** What it may be launched as, cheapest first. Empty after the launch. */
  readonly options: readonly LaunchOption[];
  /** The types of the options. Empty after the launch. */
  readonly types: readonly LaunchType[];
  /** Promise 2: what it takes of the pool's limits: the largest of the options, once launched its real capacity. */
  readonly holds: Resources;
  /** What a node of it will offer to pods; the smallest of the options until it is launched. */
  readonly allocatable: Resources;
  readonly launch: LaunchState;
  readonly nodeName?: string;
  /** The name with which its node will register (B66), as soon as EC2 describes it. @default not known yet */
  readonly expectedNodeName?: string;
  /** When its node was found to have the registration. */
  readonly registeredAtMs?: number;
  /** When its node was found to be initialized. */
  readonly initializedAtMs?: number;
  /** Since when the registered node is missing, or a new Node object without the registration has its name. @default it is not */
  readonly nodeLostAtMs?: number;
  /** D8: since when its registration or initialization is tried in the last minute of its time, or later. @default it is not */
  readonly lastTriesSinceMs?: number;
  /** D10: the last change of what was inconsistent between claim, node and instance. @default nothing ever was */
  readonly consistency?: Consistency;
  /** D34. @default it has not drifted */
  readonly drift?: Drift;
  /** Which pods were on the node when it was last looked at, daemons aside, as one fingerprint. */
  readonly podsSeen?: string;
  /** D12: the last time that a pod came or went, daemons aside. */
  readonly lastPodEventAtMs?: number;
  readonly deletion?: Deletion;
  /** Set when all is gone; the record stays as a tombstone, so that an old decision cannot make the claim again. */
  readonly releasedAtMs?: number;
}

/** The request for what people read: user data may contain secrets. */
export function requestWithoutUserData(request: LaunchRequest): LaunchRequest {
  return { ...request, templates: request.templates.map((template) => ({ ...template, userData: '' })) };
}

/**
 * The record without what only a launch needs, once it is launched: 360 options and 60 types, which take 70 KB of memory. The
 * lists stay, because earlier versions of Kerf read them.
 */
export function withoutLaunchOptions(record: NodeClaimRecord): NodeClaimRecord {
  const { launch, options, types } = record;
  if (launch.kind !== 'launched' || (options.length === 0 && types.length === 0)) return record;
  return { ...record, options: [], types: [] };
}

/** The pods of the cluster that it was made for. */
export function realPods({ pods, bufferPods = [] }: NodeClaimRecord): readonly string[] {
  const virtual = new Set(bufferPods);
  return virtual.size === 0 ? pods : pods.filter((pod) => !virtual.has(pod));
}

/** The instance of a claim, where one is known to exist. */
export function instanceOf(record: NodeClaimRecord): Instance | undefined {
  return record.launch.kind === 'launched' ? record.launch.instance : undefined;
}

/** An instance, what it costs, and since when. */
export interface RunningInstance {
  readonly nodePool: string;
  readonly instance: Instance;
  /** When it was launched. */
  readonly sinceMs: number;
  /** When its reservation ended. @default it has not ended, or there was none */
  readonly reservedUntilMs?: number;
}

/** *Shape:* undefined while no instance is known. */
export function runningInstanceOf({ launch, nodePool }: NodeClaimRecord): RunningInstance | undefined {
  if (launch.kind !== 'launched') return undefined;
  const { instance, atMs: sinceMs, reservedUntilMs } = launch;
  return { nodePool, instance, sinceMs, ...optional({ reservedUntilMs }) };
}

/** When the instance was first to be terminated: EC2 may refuse this, and accept it later. */
export function drainOverAt(deletion: Deletion): number | undefined {
  const { drainOverAtMs, terminateRequestedAtMs, terminationRefused } = deletion;
  return drainOverAtMs ?? terminateRequestedAtMs ?? terminationRefused?.sinceMs;
}

/** `aws:///eu-west-3a/i-0abc`: how a Node and its claim find each other (A2.4). */
export function providerIdOf(instance: Pick<Instance, 'id' | 'zone'>): string {
  return `aws:///${instance.zone}/${instance.id}`;
}

/** The instance id in a provider id; undefined for a node that is not an EC2 instance. */
export function instanceIdOf(providerId: string | undefined): string | undefined {
  return /^aws:\/\/\/[^/]*\/(i-[0-9a-z]+)$/.exec(providerId ?? '')?.[1];
}

/** A NodeClaim whose record exists and cannot be read. It may have an instance. */
export interface UnreadableClaim {
  readonly name: string;
  readonly message: string;
}
