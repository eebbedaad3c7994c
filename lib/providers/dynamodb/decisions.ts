import type { Decision } from '../../core/action.ts';
import { EpochMovedError, StaleLeaseError } from '../../ports/errors.ts';
import type { Lease } from '../../ports/leases.ts';
import { packBody, unpackBody } from './body.ts';
import { clusterPartition, decisionKey, epochKey, leaseKey, OPEN, openKey } from './keys.ts';
import { fencedBy } from './leases.ts';
import { isDecision } from './stored-shapes.ts';
import { ABSENT, type Condition, PRESENT, type Table, type Write } from './table.ts';

/** How long a decision that was carried out can still be explained from the table. */
const HISTORY_SECONDS = 7 * 24 * 3_600;

export async function readEpoch(table: Table, cluster: string): Promise<number> {
  const item = await table.get(epochKey(cluster));
  return Number(item?.['epochCount'] ?? 0);
}

export interface Recording {
  readonly decision: Decision;
  readonly epoch: number;
  readonly lease?: Lease | undefined;
}

export async function recordDecision(table: Table, { decision, epoch, lease }: Recording): Promise<void> {
  const { cluster, id } = decision;
  const header = { ...decisionKey(cluster, id), payload: packBody(decision, `decision ${id}`) };
  const asRead: Condition = epoch === 0 ? ABSENT : { expression: 'epochCount = :read', values: { ':read': epoch } };
  const writes: readonly Write[] = [
    { kind: 'set', key: epochKey(cluster), attributes: { epochCount: epoch + 1 }, condition: asRead },
    { kind: 'put', item: header, condition: ABSENT },
    { kind: 'put', item: { ...openKey(cluster, id), decidedAtMs: decision.atMs } },
  ];
  const fenced: readonly Write[] =
    lease === undefined ? [] : [{ kind: 'check', key: leaseKey(lease), condition: fencedBy(lease) }];
  const outcome = await table.transact([...writes, ...fenced], `record decision ${id}`);
  if (outcome.kind === 'written') return;
  // Refused: either it stands already, perhaps from a first try whose reply was lost, or another run was faster.
  if ((await table.get(decisionKey(cluster, id))) !== undefined) return;
  if (lease !== undefined && outcome.at.has(writes.length)) {
    throw new StaleLeaseError(
      `${lease.work} of ${cluster}: lease ${lease.fence} was taken over: decision ${id} was not recorded, look again`,
    );
  }
  throw new EpochMovedError(
    `cluster ${cluster} is not at epoch ${epoch} any more: decision ${id} was not recorded, observe again`,
  );
}

export async function openDecisions(table: Table, cluster: string): Promise<readonly Decision[]> {
  const pointers = await table.query(clusterPartition(cluster), OPEN);
  const headers = await Promise.all(
    pointers.map((pointer) => table.get(decisionKey(cluster, String(pointer['sk']).slice(OPEN.length)))),
  );
  return headers
    .filter((header) => header !== undefined)
    .map((header) => unpackBody(header['payload'], isDecision, `decision item ${String(header['sk'])}`))
    .toSorted((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

/** In this order: cut short in between, it is closed once more, and the history still lapses. */
export async function closeDecision(table: Table, decision: Decision): Promise<void> {
  const expiresAt = Math.ceil(decision.atMs / 1_000) + HISTORY_SECONDS;
  const key = decisionKey(decision.cluster, decision.id);
  await table.write({ kind: 'set', key, attributes: { expiresAt }, condition: PRESENT });
  await table.write({ kind: 'delete', key: openKey(decision.cluster, decision.id) });
}
