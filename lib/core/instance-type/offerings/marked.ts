import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import { REFUSED_ACROSS_FAMILIES, REFUSED_WITH_ZONE, UNAVAILABLE_MS } from './unavailable.ts';

/** The state of the marks on one offering. */
export interface Marked {
  readonly markedAtMs: number;
  readonly untilMs: number;
  /** The number of attempts in a row that found no capacity. */
  readonly strikes: number;
}

/** kubernetes-sigs/karpenter#3198: a type without capacity for hours must not be tried every three minutes. */
const MAX_PAUSE_MS = 30 * MINUTE_MS;
/** A new mark continues the series if the last mark ended less than this time ago. */
export const MARK_SERIES_MS = HOUR_MS;
/** Failures within this time count as one: ten claims that fail together cause one write. */
const ONE_EVENT_MS = 10 * SECOND_MS;

/** EC2 tries a few of the overrides of a fleet and reports this for the others, whether or not they have capacity (C33). */
export const NOT_TRIED = 'UnfulfillableCapacity';
/** The longest pause of a zone and capacity type. One launch shows whether it is back. */
const MAX_ZONE_PAUSE_MS = 12 * MINUTE_MS;
/** Refusals that say nothing about the capacity of the offering itself, so their marks never last longer than the first. */
const NOT_OF_OFFERING: ReadonlySet<string> = new Set([
  NOT_TRIED,
  REFUSED_WITH_ZONE,
  // The image or the template of a NodeClass, which its owner corrects.
  'Unsupported',
  // Quotas of the account. Each ended instance may make room.
  'VcpuLimitExceeded',
  'MaxSpotInstanceCountExceeded',
  'MaxFleetCountExceeded',
  // EC2 counts the free instances of a reservation, also while it is marked.
  'ReservationCapacityExceeded',
  // The addresses of a subnet.
  'InsufficientFreeAddressesInSubnet',
  // The service-linked role for spot, which an operator creates.
  'AuthFailure',
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
]);

/**
 * The state of an offering that had no capacity at `atMs`. The first mark lasts 3 minutes. Each later attempt without capacity
 * doubles the duration, up to 30 minutes; up to 12 for a whole zone and capacity type. A mark lasts 3 minutes if the refusal
 * says nothing about the capacity of the offering: EC2 did not try it or does not support the configuration of the NodeClass, a quota, a reservation or a subnet is full, or EC2 refused the whole zone: when
 * the zone is tried again, so are all its offerings. The series ends one hour after the last mark ended.
 * *Shape:* a mark during another mark adds no strike and never shortens it; `previous` itself if nothing changes.
 * *Source:* C32, C35; kubernetes-sigs/karpenter#3198.
 */
export function marked(previous: Marked | undefined, atMs: number, reason = ''): Marked {
  if (previous === undefined || atMs >= previous.untilMs + MARK_SERIES_MS) {
    return { markedAtMs: atMs, untilMs: atMs + UNAVAILABLE_MS, strikes: 1 };
  }
  if (atMs - previous.markedAtMs < ONE_EVENT_MS) return previous;
  if (atMs < previous.untilMs) {
    return { ...previous, markedAtMs: atMs, untilMs: Math.max(previous.untilMs, atMs + UNAVAILABLE_MS) };
  }
  if (NOT_OF_OFFERING.has(reason)) return { ...previous, markedAtMs: atMs, untilMs: atMs + UNAVAILABLE_MS };
  const strikes = previous.strikes + 1;
  const longestMs = reason === REFUSED_ACROSS_FAMILIES ? MAX_ZONE_PAUSE_MS : MAX_PAUSE_MS;
  const pauseMs = Math.min(UNAVAILABLE_MS * 2 ** (strikes - 1), longestMs);
  return { markedAtMs: atMs, untilMs: atMs + pauseMs, strikes };
}
