import { formatTime, MINUTE_MS } from '../../apis/formats/time.ts';
import type { Node } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, RESERVATION_ID, RESERVATION_INTERRUPTIBLE, RESERVATION_TYPE } from '../../apis/labels.ts';
import type { Action } from '../model/decision.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { nodeTarget } from '../model/node-patch.ts';
import type { ResolvedCapacityReservation } from '../model/resolved-node-class.ts';
import { LISTED_AFTER_MS } from './launch/launch.ts';
import { isRegistered } from './registration.ts';

/** C83: EC2 begins to end a block's instances half an hour before its end; pods get ten minutes more to move. */
const BLOCK_NOTICE_MS = 40 * MINUTE_MS;

/** A claim that runs out of a reservation, as far as one knows. */
export interface ReservedView {
  readonly record: NodeClaimRecord;
  /** As EC2 lists it just now. */
  readonly instance: Instance;
  readonly node?: Node | undefined;
  /** What its NodeClass finds of the reservation. @default it does not find it */
  readonly reservation?: ResolvedCapacityReservation | undefined;
  /** @default it is not known */
  readonly onDemandUsdPerHour?: number | undefined;
}

export interface ReservedVerdict {
  readonly record: NodeClaimRecord;
  readonly actions: readonly Action[];
}

/**
 * What follows from the end of a reservation. The instance outlived it: it is on-demand from now on, in its record and on its
 * node. A capacity block is about to end: the claim goes 40 minutes before. *Source:* C83.
 */
export function decideReserved(view: ReservedView, nowMs: number): ReservedVerdict {
  const { record, reservation } = view;
  if (record.deletion !== undefined) return { record, actions: [] };
  if (hasOutlived(view, nowMs)) return { record: asOnDemand(view), actions: relabel(view) };
  const endsAtMs = reservation?.type === 'capacity-block' ? reservation.endsAtMs : undefined;
  if (endsAtMs === undefined || nowMs < endsAtMs - BLOCK_NOTICE_MS) return { record, actions: [] };
  const message = `its capacity block ${reservation?.id} ends at ${formatTime(endsAtMs)}`;
  return { record, actions: [{ kind: 'delete-node-claim', nodeClaim: record.name, reason: 'expired', message }] };
}

/** What EC2 has just launched it may not describe in full yet. */
function hasOutlived({ record, instance }: ReservedView, nowMs: number): boolean {
  const { launch } = record;
  if (launch.kind !== 'launched' || instance.reservation !== undefined) return false;
  if (launch.instance.capacityType !== 'reserved') return true;
  return launch.instance.reservation !== undefined && nowMs - launch.atMs >= LISTED_AFTER_MS;
}

/** Whether there may be something to decide: the record or the node says that it is reserved. */
export function isReserved(record: NodeClaimRecord, node: Node | undefined): boolean {
  return instanceOf(record)?.capacityType === 'reserved' || saysReserved(node);
}

function saysReserved(node: Node | undefined): node is Node {
  return node !== undefined && isRegistered(node) && node.metadata.labels?.[CAPACITY_TYPE] === 'reserved';
}

function asOnDemand({ record, onDemandUsdPerHour }: ReservedView): NodeClaimRecord {
  const { launch } = record;
  if (launch.kind !== 'launched' || launch.instance.capacityType !== 'reserved') return record;
  const { reservation: _ended, ...instance } = launch.instance;
  const priceUsdPerHour = onDemandUsdPerHour ?? instance.priceUsdPerHour;
  return { ...record, launch: { ...launch, instance: { ...instance, capacityType: 'on-demand', priceUsdPerHour } } };
}

/** By what the node shows, so that a write that was lost is made again. */
function relabel({ record, node }: ReservedView): readonly Action[] {
  if (!saysReserved(node)) return [];
  const labels = {
    [CAPACITY_TYPE]: 'on-demand',
    [RESERVATION_ID]: null,
    [RESERVATION_TYPE]: null,
    [RESERVATION_INTERRUPTIBLE]: null,
  };
  return [{ kind: 'register-node', nodeClaim: record.name, node: nodeTarget(node), patch: { labels } }];
}
