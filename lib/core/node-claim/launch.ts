import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import {
  CAPACITY_TYPES,
  type CapacityType,
  NODE_CLAIM_TAG,
  NODE_CLASS,
  NODE_POOL,
  PRICE_OVERLAY_APPLIED,
} from '../../apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../apis/time.ts';
import type { UnavailableOffering } from '../action.ts';
import { fingerprint } from '../identity.ts';
import { exhaustedSubnets, unavailability } from '../instance-type/unavailable.ts';
import { imageFor } from '../node-class/images.ts';
import type { ResolvedNodeClass } from '../node-class/resolved-node-class.ts';
import { nodeUserData } from '../node-class/user-data.ts';
import { volumesOf } from '../node-class/volumes.ts';
import { ownershipTags } from './ownership-tags.ts';
import type { FleetOverride, Instance, LaunchOption, LaunchRequest, NodeClaimRecord } from './record.ts';

/** What a launch needs to know beside the claim: the NodeClass, what it resolves to, and what has no capacity. */
export interface LaunchContext {
  readonly nodeClass: EC2NodeClass;
  readonly resolved: ResolvedNodeClass;
  readonly unavailable: readonly UnavailableOffering[];
}

/** An instance that EC2 does not list may be too young to be listed. */
export const LISTED_AFTER_MS = MINUTE_MS;

export type LaunchPlan =
  | { readonly kind: 'launch'; readonly attempt: number; readonly request: LaunchRequest }
  /** None of the options is to be had. */
  | { readonly kind: 'no-capacity'; readonly message: string }
  | { readonly kind: 'unsupported'; readonly message: string };

/**
 * The next attempt's request, to be frozen before it is sent. *Source:* C43 (reserved, then spot, then on-demand), C46;
 * the token follows from claim and attempt, so that a replay launches nothing twice (C51).
 */
export function planLaunch(record: NodeClaimRecord, context: LaunchContext): LaunchPlan {
  const open = openMarket(context);
  const overrides = record.options.flatMap((option) => override(option, record, open));
  const capacityType = PREFERENCE.find((one) => overrides.some((line) => line.capacityType === one));
  if (capacityType === undefined) return { kind: 'no-capacity', message: whyNothingLeft(record, context) };
  const family = amiFamilyOf(context.nodeClass);
  const taints = [...(record.spec.taints ?? []), ...(record.spec.startupTaints ?? []), UNREGISTERED_TAINT];
  const userData = nodeUserData(context.nodeClass, {
    bootstrap: context.resolved.bootstrap,
    labels: record.labels,
    taints: family === 'Custom' ? [] : taints,
  });
  if (userData.kind === 'unsupported') return userData;
  const attempt = attemptsOf(record) + 1;
  return {
    kind: 'launch',
    attempt,
    request: {
      clientToken: `kerf-${fingerprint(`${record.cluster}/${record.name}/${record.createdAtMs}/${attempt}`)}`,
      cluster: record.cluster,
      nodeClaim: record.name,
      nodePool: record.nodePool,
      nodeClass: record.spec.nodeClassRef.name,
      capacityType,
      ...(record.annotations[PRICE_OVERLAY_APPLIED] === undefined ? {} : { prioritized: true }),
      overrides: overrides.filter((line) => line.capacityType === capacityType),
      templates: [
        {
          securityGroupIds: context.resolved.securityGroups.map(({ id }) => id),
          instanceProfile: context.resolved.instanceProfile,
          userData: userData.text,
          blockDeviceMappings: volumesOf(context.nodeClass),
          metadataOptions: context.nodeClass.spec.metadataOptions,
          networkInterfaces: [{ networkCard: 0, device: 0, kind: 'interface' }],
        },
      ],
      tags: tagsOf(record, context.nodeClass),
    },
  };
}

/** C43. */
const PREFERENCE: readonly CapacityType[] = CAPACITY_TYPES.toReversed();

/** What the NodeClass resolves to less what lately had no capacity, of whatever width (C32). */
interface OpenMarket {
  readonly subnets: ResolvedNodeClass['subnets'];
  readonly images: ResolvedNodeClass['images'];
  readonly lacks: (option: LaunchOption) => boolean;
}

function openMarket({ resolved, unavailable }: LaunchContext): OpenMarket {
  const exhausted = exhaustedSubnets(unavailable);
  const isUnavailable = unavailability(unavailable);
  return {
    subnets: resolved.subnets.filter(({ id }) => !exhausted.has(id)),
    images: resolved.images,
    lacks: ({ instanceType: type, zone, capacityType, reservationId }) =>
      isUnavailable({ type, zone, capacityType, reservationId }),
  };
}

/** The option with the subnet and image for it; nothing where it has lately no capacity, no subnet or no image. */
function override(option: LaunchOption, record: NodeClaimRecord, open: OpenMarket): FleetOverride[] {
  if (open.lacks(option)) return [];
  const subnet = open.subnets.find((one) => one.zone === option.zone);
  const type = record.types.find((one) => one.name === option.instanceType);
  const image = type === undefined ? undefined : imageFor(type, open.images);
  return subnet === undefined || image === undefined
    ? []
    : [{ ...option, subnetId: subnet.id, imageId: image.id, template: 0 }];
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
  const { subnets, lacks } = openMarket(context);
  const gone = record.options.filter(lacks).length;
  const full = context.resolved.subnets.length - subnets.length;
  const zones = [...new Set(subnets.map((subnet) => subnet.zone))].toSorted().join(', ') || 'no zone';
  const less = full === 0 ? '' : `, ${full} more have no free address`;
  return `none of ${record.options.length} offerings is to be had: ${gone} have no capacity just now, subnets are in ${zones}${less}`;
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
