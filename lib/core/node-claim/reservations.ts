import { formatTime, MINUTE_MS } from '../../apis/formats/time.ts';
import type { Node } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, RESERVATION_ID, RESERVATION_INTERRUPTIBLE, RESERVATION_TYPE } from '../../apis/labels.ts';
import type { Action } from '../model/decision.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { nodeTarget } from '../model/node-patch.ts';
import type { ResolvedCapacityReservation } from '../model/resolved-node-class.ts';
import { LISTED_AFTER_MS } from './launch/launch.ts';
import { isRegistered } from './registration.ts';

/** C83: EC2 starts to terminate the instances 30 minutes before a capacity block ends. Pods get 10 minutes before that to move. */
const BLOCK_NOTICE_MS = 40 * MINUTE_MS;

/** A claim whose record or node has the capacity type reserved. */
export interface ReservedView {
  readonly record: NodeClaimRecord;
  /** The instance as listed by EC2. */
  readonly instance: Instance;
  readonly node?: Node | undefined;
  /** The reservation, from the status of its NodeClass. @default it is not there */
  readonly reservation?: ResolvedCapacityReservation | undefined;
  /** @default unknown */
  readonly onDemandUsdPerHour?: number | undefined;
}

export interface ReservedVerdict {
  readonly record: NodeClaimRecord;
  readonly actions: readonly Action[];
}

/**
 * Handles the end of a reservation. If the instance still runs, it becomes on-demand in its record and on its node. The claim of
 * a capacity block is deleted 40 minutes before the block ends. *Source:* C83.
 */
export function decideReserved(view: ReservedView, nowMs: number): ReservedVerdict {
  const { record, reservation } = view;
  if (record.deletion !== undefined) return { record, actions: [] };
  if (hasOutlived(view, nowMs)) return { record: asOnDemand(view, nowMs), actions: relabel(view) };
  const endsAtMs = reservation?.type === 'capacity-block' ? reservation.endsAtMs : undefined;
  if (endsAtMs === undefined || nowMs < endsAtMs - BLOCK_NOTICE_MS) return { record, actions: [] };
  const message = `its capacity block ${reservation?.id} ends at ${formatTime(endsAtMs)}`;
  return { record, actions: [{ kind: 'delete-node-claim', nodeClaim: record.name, reason: 'expired', message }] };
}

/** EC2 may not describe a new instance completely yet. */
function hasOutlived({ record, instance }: ReservedView, nowMs: number): boolean {
  const { launch } = record;
  if (launch.kind !== 'launched' || instance.reservation !== undefined) return false;
  if (launch.instance.capacityType !== 'reserved') return true;
  return launch.instance.reservation !== undefined && nowMs - launch.atMs >= LISTED_AFTER_MS;
}

/** Whether the record or the node has the capacity type reserved. */
export function isReserved(record: NodeClaimRecord, node: Node | undefined): boolean {
  return instanceOf(record)?.capacityType === 'reserved' || saysReserved(node);
}

function saysReserved(node: Node | undefined): node is Node {
  return node !== undefined && isRegistered(node) && node.metadata.labels?.[CAPACITY_TYPE] === 'reserved';
}

function asOnDemand({ record, onDemandUsdPerHour }: ReservedView, reservedUntilMs: number): NodeClaimRecord {
  const { launch } = record;
  if (launch.kind !== 'launched' || launch.instance.capacityType !== 'reserved') return record;
  const { reservation: _ended, ...instance } = launch.instance;
  const priceUsdPerHour = onDemandUsdPerHour ?? instance.priceUsdPerHour;
  const onDemand = { ...instance, capacityType: 'on-demand', priceUsdPerHour } as const;
  return { ...record, launch: { ...launch, instance: onDemand, reservedUntilMs } };
}

/** Depends on the label of the node, so that a lost write is repeated. */
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
