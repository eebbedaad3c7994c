import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import {
  INSTANCE_PROFILE_NAME,
  MIN_VALUES_RELAXED,
  NODE_CLAIM_TAG,
  NODE_CLASS,
  NODE_POOL,
  PRICE_OVERLAY_APPLIED,
} from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { digest } from '../../identity.ts';
import { exhaustedSubnets, zonesWithAddresses } from '../../instance-type/offerings/unavailable.ts';
import { imageFor } from '../../model/images.ts';
import {
  type FleetOverride,
  type Instance,
  type LaunchOption,
  type LaunchRequest,
  type NodeClaimRecord,
  withoutLaunchOptions,
} from '../../model/node-claim-record.ts';
import { ownershipTags } from '../../model/ownership-tags.ts';
import { nodeClassHash } from '../../node-class/node-class-hash.ts';
import { fleetLines, type LaunchMarket, lackingValues, linesToBeHad, unavailableOptions } from './fleet-lines.ts';
import { fleetParts } from './launch-templates.ts';

/** The inputs of a launch beside the claim: the NodeClass, its resolved values, and offerings without capacity. */
export interface LaunchContext extends LaunchMarket {
  readonly nodeClass: EC2NodeClass;
  /** C60: EC2 may use open reservations. @default false */
  readonly openReservations?: true;
}

/**
 * EC2 may take a minute to list a new instance, and the clocks of the function that launched it and of the function that reads
 * the list may be two minutes apart.
 */
export const LISTED_AFTER_MS = 3 * MINUTE_MS;

export type LaunchPlan =
  | {
      readonly kind: 'launch';
      readonly attempt: number;
      readonly request: LaunchRequest;
      /** C54: annotations about the launch, for the claim and its node. */
      readonly annotations: Labels;
      /** C44. @default no warning */
      readonly warning?: string;
    }
  /** None of the options is available. */
  | { readonly kind: 'no-capacity'; readonly message: string }
  | { readonly kind: 'unsupported'; readonly message: string };

/**
 * The request of the next attempt, which is recorded before it is sent. *Source:* C38, C43, C45, C46, C56; the client token is
 * derived from claim and attempt, so that a repeated request does not launch a second instance (C51).
 */
export function planLaunch(record: NodeClaimRecord, context: LaunchContext): LaunchPlan {
  const available = linesToBeHad(record, context);
  const lines = fleetLines(available, context);
  const [first] = lines;
  if (first === undefined) return { kind: 'no-capacity', message: whyNoCapacity(record, context) };
  const lacking = lackingValues(record, available);
  if (lacking !== undefined) return { kind: 'no-capacity', message: lacking };
  const parts = fleetParts(record, context, lines);
  if ('kind' in parts) return parts;
  const { capacityType } = first;
  const { context: contextId } = context.nodeClass.spec;
  const attempt = attemptsOf(record) + 1;
  return {
    kind: 'launch',
    attempt,
    annotations: launchAnnotations(context),
    ...warningOf(record, parts.overrides),
    request: {
      clientToken: `kerf-${digest(`${record.cluster}/${record.name}/${record.createdAtMs}/${attempt}`)}`,
      templateNames: 'sha-256',
      cluster: record.cluster,
      nodeClaim: record.name,
      nodePool: record.nodePool,
      nodeClass: record.spec.nodeClassRef.name,
      capacityType,
      ...(record.annotations[PRICE_OVERLAY_APPLIED] === undefined ? {} : { prioritized: true }),
      // C48.
      ...(contextId === undefined || record.annotations[MIN_VALUES_RELAXED] === 'true' ? {} : { context: contextId }),
      ...parts,
      tags: tagsOf(record, context.nodeClass),
    },
  };
}

/**
 * C54: the hash of the NodeClass at launch, and the instance profile. The annotation of the NodeClass may be that of its former spec, or
 * missing: its status is written by another run.
 */
function launchAnnotations({ nodeClass, resolved }: LaunchContext): Labels {
  return {
    ...nodeClassHash(nodeClass, resolved.bootstrap.certificateAuthority),
    [INSTANCE_PROFILE_NAME]: resolved.instanceProfile,
  };
}

/** C44: the recommended number of instance types for a fallback from spot to on-demand. */
const FEW_TYPES = 5;

function warningOf({ options }: NodeClaimRecord, overrides: readonly FleetOverride[]): { readonly warning?: string } {
  const types = new Set(overrides.map(({ instanceType }) => instanceType)).size;
  const isFallback =
    overrides[0]?.capacityType === 'on-demand' && options.some(({ capacityType }) => capacityType === 'spot');
  if (!isFallback || types >= FEW_TYPES) return {};
  const warning = `spot capacity is unavailable, and the fallback to on-demand has only ${types} instance types: allow at least ${FEW_TYPES}`;
  return { warning };
}

/** C50. The tags include the name of the claim, so that an instance can be identified before its node registers. */
function tagsOf(record: NodeClaimRecord, nodeClass: EC2NodeClass): LaunchRequest['tags'] {
  return {
    ...nodeClass.spec.tags,
    ...ownershipTags(record.cluster),
    [NODE_POOL]: record.nodePool,
    [NODE_CLASS]: record.spec.nodeClassRef.name,
    [NODE_CLAIM_TAG]: record.name,
  };
}

function attemptsOf(record: NodeClaimRecord): number {
  return record.launch.kind === 'planned' ? 0 : record.launch.attempt;
}

function whyNoCapacity(record: NodeClaimRecord, context: LaunchContext): string {
  const withoutCapacity = record.options.filter(unavailableOptions(record, context)).length;
  const ofOthers = { ...context, unavailable: context.unavailable.filter(({ nodeClass }) => nodeClass === undefined) };
  const unsupported = withoutCapacity - record.options.filter(unavailableOptions(record, ofOthers)).length;
  const unsupportedText =
    unsupported === 0
      ? ''
      : `, ${unsupported} only for EC2NodeClass ${context.nodeClass.metadata.name}, whose configuration EC2 does not support with these types`;
  const { subnets, images } = context.resolved;
  const bootable = new Set(record.types.flatMap((type) => (imageFor(type, images) === undefined ? [] : type.name)));
  const withoutImage = record.options.filter(({ instanceType }) => !bootable.has(instanceType)).length;
  const imagesText = withoutImage === 0 ? '' : `, ${withoutImage} have no image of the EC2NodeClass`;
  const exhausted = exhaustedSubnets(context.unavailable);
  const full = subnets.filter(({ id }) => exhausted.has(id)).length;
  const zones = [...zonesWithAddresses(subnets, context.unavailable)].toSorted().join(', ') || 'no zone';
  const exhaustedText = full === 0 ? '' : `, ${full} subnets have no free addresses`;
  return `none of ${record.options.length} offerings has capacity: ${withoutCapacity} are marked as unavailable${unsupportedText}${imagesText}, subnets are in ${zones}${exhaustedText}`;
}

/** Completes a found instance from the record of its launch, because EC2 returns neither its price nor its kind of reservation. */
export function adopted(found: Instance, { launch, options }: NodeClaimRecord): Instance {
  const { id, instanceType, zone, capacityType, imageId, priceUsdPerHour } = found;
  const isOfIt = (one: LaunchOption): boolean => one.instanceType === instanceType && one.zone === zone;
  const request = launch.kind === 'requested' ? launch.request : undefined;
  const line = request?.overrides.find(isOfIt);
  // The attempt that launched it is not known.
  const option = line ?? options.find((one) => isOfIt(one) && one.capacityType === capacityType);
  const reservation = line === undefined ? found.reservation : request?.templates[line.template]?.reservation;
  return {
    id,
    instanceType,
    zone,
    imageId,
    capacityType: option?.capacityType ?? capacityType,
    priceUsdPerHour: option?.priceUsdPerHour ?? priceUsdPerHour,
    ...optional({ reservation }),
  };
}

/** The record after the launch, without its options. From now on the real capacity counts against limits, not the largest possible one (promise 2). */
export function launched(record: NodeClaimRecord, instance: Instance, nowMs: number): NodeClaimRecord {
  const type = record.types.find((one) => one.name === instance.instanceType);
  return withoutLaunchOptions({
    ...record,
    ...(type === undefined ? {} : { holds: type.capacity, allocatable: type.allocatable }),
    launch: { kind: 'launched', attempt: attemptsOf(record), instance, atMs: nowMs },
  });
}

/** The record after EC2 has rejected the client token as no longer valid. */
export function spentLaunch(record: NodeClaimRecord, nowMs: number): NodeClaimRecord {
  if (record.launch.kind !== 'requested') return record;
  return { ...record, launch: { ...record.launch, sentAgainAtMs: nowMs, spent: true } };
}

/** Whether the account launches too much at once for the claim. */
export function isThrottled({ launch }: Pick<NodeClaimRecord, 'launch'>): boolean {
  return launch.kind === 'refused' && launch.throttled === true;
}

/** Whether the claim waits for its turn: its launch was not tried, or EC2 throttled it. */
export function waitsForTurn(record: Pick<NodeClaimRecord, 'launch'>): boolean {
  return record.launch.kind === 'planned' || isThrottled(record);
}

/** Since when the launch of the claim takes time: from its first request, so that a claim that waited for its turn is not late (D8). */
export function launchingSinceMs(record: NodeClaimRecord): number {
  const { launch, createdAtMs } = record;
  if (waitsForTurn(record)) return createdAtMs;
  return launch.kind === 'requested' || launch.kind === 'refused' ? (launch.firstAtMs ?? createdAtMs) : createdAtMs;
}

/** The pause after a refusal that marked no offering: 5 s, doubled with each attempt, up to one minute. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;
/** The longest pause after a throttled launch. EC2 accepts about 60 instances meanwhile. */
export const LONGEST_THROTTLE_MS = 30 * SECOND_MS;

export interface LaunchRefusal {
  readonly message: string;
  readonly nowMs: number;
  /** Offerings were marked as unavailable, so the next attempt need not wait. @default false */
  readonly learned?: boolean;
  /** Only the list of instances shows that the attempt launched nothing. @default EC2 has answered so */
  readonly unknown?: true;
  /** The account launches too much at once. @default EC2 refused the launch itself */
  readonly throttled?: true | undefined;
}

/** The record after a refused launch. */
export function refusedLaunch(
  record: NodeClaimRecord,
  { message, nowMs, learned = false, unknown, throttled }: LaunchRefusal,
): NodeClaimRecord {
  const attempt = attemptsOf(record);
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), throttled === true ? LONGEST_THROTTLE_MS : MINUTE_MS);
  const retryAtMs = learned && throttled !== true ? undefined : nowMs + pauseMs;
  const firstAtMs = launchingSinceMs(record);
  return {
    ...record,
    launch: {
      kind: 'refused',
      attempt,
      message,
      atMs: nowMs,
      firstAtMs,
      ...optional({ retryAtMs, unknown, throttled }),
    },
  };
}
