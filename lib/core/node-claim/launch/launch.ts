import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import {
  INSTANCE_PROFILE_NAME,
  MIN_VALUES_RELAXED,
  NODE_CLAIM_TAG,
  NODE_CLASS,
  NODE_CLASS_HASH,
  NODE_CLASS_HASH_VERSION,
  NODE_POOL,
  PRICE_OVERLAY_APPLIED,
} from '../../../apis/labels.ts';
import { digest } from '../../identity.ts';
import { exhaustedSubnets, zonesWithAddresses } from '../../instance-type/offerings/unavailable.ts';
import type {
  FleetOverride,
  Instance,
  LaunchOption,
  LaunchRequest,
  NodeClaimRecord,
} from '../../model/node-claim-record.ts';
import { ownershipTags } from '../../model/ownership-tags.ts';
import { fleetLines, goneOptions, type LaunchMarket } from './fleet-lines.ts';
import { fleetParts } from './launch-templates.ts';

/** What a launch needs to know beside the claim: the NodeClass, what it resolves to, and what has no capacity. */
export interface LaunchContext extends LaunchMarket {
  readonly nodeClass: EC2NodeClass;
}

/** An instance that EC2 does not list may be too young to be listed. */
export const LISTED_AFTER_MS = MINUTE_MS;

export type LaunchPlan =
  | {
      readonly kind: 'launch';
      readonly attempt: number;
      readonly request: LaunchRequest;
      /** C54: what the claim and its node are to say of how they were launched. */
      readonly annotations: Labels;
      /** C44. @default nothing to warn of */
      readonly warning?: string;
    }
  /** None of the options is to be had. */
  | { readonly kind: 'no-capacity'; readonly message: string }
  | { readonly kind: 'unsupported'; readonly message: string };

/**
 * The next attempt's request, to be frozen before it is sent. *Source:* C38, C43, C45, C46, C56; the token follows from
 * claim and attempt, so that a replay launches nothing twice (C51).
 */
export function planLaunch(record: NodeClaimRecord, context: LaunchContext): LaunchPlan {
  const lines = fleetLines(record, context);
  const [first] = lines;
  if (first === undefined) return { kind: 'no-capacity', message: whyNothingLeft(record, context) };
  const parts = fleetParts(record, context, lines);
  if ('kind' in parts) return parts;
  const { capacityType } = first;
  const { context: passedOn } = context.nodeClass.spec;
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
      ...(passedOn === undefined || record.annotations[MIN_VALUES_RELAXED] !== undefined ? {} : { context: passedOn }),
      ...parts,
      tags: tagsOf(record, context.nodeClass),
    },
  };
}

/** C54: which class, as it said just then, and which profile. */
function launchAnnotations({ nodeClass, resolved }: LaunchContext): Labels {
  const hashes = [NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION].flatMap((key) => {
    const value = nodeClass.metadata.annotations?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...Object.fromEntries(hashes), [INSTANCE_PROFILE_NAME]: resolved.instanceProfile };
}

/** C44: who takes spot for want of money should have some types to choose from on demand as well. */
const FEW_TYPES = 5;

function warningOf({ options }: NodeClaimRecord, overrides: readonly FleetOverride[]): { readonly warning?: string } {
  const types = new Set(overrides.map(({ instanceType }) => instanceType)).size;
  const isFallback =
    overrides[0]?.capacityType === 'on-demand' && options.some(({ capacityType }) => capacityType === 'spot');
  if (!isFallback || types >= FEW_TYPES) return {};
  const warning = `spot is not to be had, and on demand there are only ${types} instance types to choose from: at least ${FEW_TYPES} are advised`;
  return { warning };
}

/** C50, and the claim's name from the first moment on, so that an instance can be traced before its node registers. */
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

function whyNothingLeft(record: NodeClaimRecord, context: LaunchContext): string {
  const gone = record.options.filter(goneOptions(context)).length;
  const { subnets } = context.resolved;
  const exhausted = exhaustedSubnets(context.unavailable);
  const full = subnets.filter(({ id }) => exhausted.has(id)).length;
  const zones = [...zonesWithAddresses(subnets, context.unavailable)].toSorted().join(', ') || 'no zone';
  const less = full === 0 ? '' : `, ${full} more have no free address`;
  return `none of ${record.options.length} offerings is to be had: ${gone} have no capacity just now, subnets are in ${zones}${less}`;
}

/** A found instance as what made it knows it: EC2 tells neither what it costs nor which kind of reservation it is in. */
export function adopted(found: Instance, { launch, options }: NodeClaimRecord): Instance {
  const { id, instanceType, zone, capacityType, imageId, priceUsdPerHour } = found;
  const isOfIt = (one: LaunchOption): boolean => one.instanceType === instanceType && one.zone === zone;
  const asked = launch.kind === 'requested' ? launch.request : undefined;
  const line = asked?.overrides.find(isOfIt);
  // Which of the attempts made it is not known.
  const option = line ?? options.find((one) => isOfIt(one) && one.capacityType === capacityType);
  const reservation = line === undefined ? found.reservation : asked?.templates[line.template]?.reservation;
  return {
    id,
    instanceType,
    zone,
    imageId,
    capacityType: option?.capacityType ?? capacityType,
    priceUsdPerHour: option?.priceUsdPerHour ?? priceUsdPerHour,
    ...(reservation === undefined ? {} : { reservation }),
  };
}

/** The record once the instance is there: from now on it holds its real capacity (promise 2: the refund). */
export function launched(record: NodeClaimRecord, instance: Instance, nowMs: number): NodeClaimRecord {
  const type = record.types.find((one) => one.name === instance.instanceType);
  return {
    ...record,
    ...(type === undefined ? {} : { holds: type.capacity, allocatable: type.allocatable }),
    launch: { kind: 'launched', attempt: attemptsOf(record), instance, atMs: nowMs },
  };
}

/** The record once EC2 says that it does not know the request by its token any more. */
export function spentLaunch(record: NodeClaimRecord, nowMs: number): NodeClaimRecord {
  if (record.launch.kind !== 'requested') return record;
  return { ...record, launch: { ...record.launch, sentAgainAtMs: nowMs, spent: true } };
}

/** Where nothing was learned of capacity, the same call would be refused again: 5 s, doubled with each attempt, to a minute. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;

/** The record once EC2 refused. `learned`: the next attempt leaves out what had no capacity, so it need not wait. */
export function refusedLaunch(
  record: NodeClaimRecord,
  { message, nowMs, learned = false }: { readonly message: string; readonly nowMs: number; readonly learned?: boolean },
): NodeClaimRecord {
  const attempt = attemptsOf(record);
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MINUTE_MS);
  return {
    ...record,
    launch: { kind: 'refused', attempt, message, atMs: nowMs, ...(learned ? {} : { retryAtMs: nowMs + pauseMs }) },
  };
}
