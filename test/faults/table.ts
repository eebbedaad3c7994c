/** The stores of a simulation: the real ones, over a table in memory. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { isRecord, ownField } from '../../lib/apis/record.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { NodeClaimStore } from '../../lib/ports/node-claim-store.ts';
import type { Bodies } from '../../lib/providers/dynamodb/body-bucket.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { CLAIM } from '../../lib/providers/dynamodb/keys.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import type { SimulatedStores } from '../../lib/simulator/deployment.ts';
import { choices, type Fault, type FaultOf, isActiveAt } from '../../lib/simulator/faults/fault.ts';
import type { Timetable } from '../../lib/simulator/timetable.ts';
import { inProcessTable, MAX_LAG_MS } from '../fakes/dynamodb/in-process-table.ts';
import type { TableState } from '../fakes/dynamodb/storage.ts';
import { memoryBodies } from '../fakes/memory-bodies.ts';
import { isTableState, rewritten } from './table-versions.ts';

export interface FaultyTable {
  readonly stores: SimulatedStores;
  /** The same items without faults, for the rules. */
  readonly plain: DynamoDbNodeClaimStore;
  readonly plainMarks: Pick<DynamoDbCatalogueStore, 'listUnavailable'>;
  /** The NodeClaim whose record cannot be read. */
  readonly unreadable: (fault: FaultOf<'unreadable-record'>) => string | undefined;
}

export interface FaultyTableOptions {
  readonly clock: Clock;
  readonly wait: Timetable['wait'];
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Called after the items were replaced. */
  readonly onReplaced: () => void;
}

const REGION = 'us-east-1';
/** Small, so that most decisions of the small clusters are in the bucket. */
const LARGEST_DECISION_BYTES = 1_000;
/** In the deployed bucket 30 days. No fault that leaves a decision unread lasts this long. */
const BODIES_EXPIRE_MS = 10 * MINUTE_MS;

/** The bucket of bodies, which deletes what was not written again. */
function expiringBodies(clock: Clock): Bodies {
  const bodies = memoryBodies();
  const writtenMs = new Map<string, number>();
  return {
    async put(body) {
      const key = await bodies.put(body);
      writtenMs.set(key, clock.now());
      return key;
    },
    async get(key, subject) {
      if (clock.now() - (writtenMs.get(key) ?? 0) > BODIES_EXPIRE_MS) bodies.objects.delete(key);
      return bodies.get(key, subject);
    },
  };
}

/** The functions have several processes, and none of them has what another one has kept of the table. */
const PROCESSES = 3;

/** The store of another process in each call. */
function inTurn(stores: () => readonly DynamoDbNodeClaimStore[]): NodeClaimStore {
  let calls = 0;
  return new Proxy<NodeClaimStore>(of(stores(), 0), {
    get:
      (_first, member: keyof NodeClaimStore) =>
      (...args: readonly unknown[]) => {
        calls += 1;
        const store = of(stores(), calls % PROCESSES);
        return Reflect.apply(store[member], store, args);
      },
  });
}

function of<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no process ${index}`);
  return item;
}

/** Spoils the payload of an item in the answer to a read. */
function spoil(answer: unknown, key: string | undefined): void {
  const items = [ownField(answer, 'Item'), ...listOf(ownField(answer, 'Items'))];
  for (const item of items)
    if (isRecord(item) && key !== undefined && ownField(ownField(item, 'sk'), 'S') === key)
      Object.assign(item, { payload: { S: 'edited by hand' } });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A table whose reads lag and whose calls take time, one after the other, while a fault says so. */
export function faultyTable({ clock, wait, faults, seed, onReplaced }: FaultyTableOptions): FaultyTable {
  const startMs = clock.now();
  const choice = choices(seed);
  const spoiled = new Map<number, string>();
  const unreadable = ({ id, nth }: FaultOf<'unreadable-record'>): string | undefined => {
    const chosen = spoiled.get(id);
    if (chosen !== undefined) return chosen;
    const keys = table.items().flatMap(({ sk }) => (sk?.S?.startsWith(CLAIM) === true ? [sk.S] : []));
    const key = keys[nth % Math.max(1, keys.length)];
    if (key !== undefined) spoiled.set(id, key);
    return key;
  };
  const isActive = (fault: Fault): boolean => isActiveAt(fault, clock.now() - startMs);
  const active = (kind: 'stale-reads' | 'table-steps'): Fault | undefined =>
    faults.find((one) => one.kind === kind && isActive(one));
  const table = inProcessTable({
    clock,
    faults: {
      lagMs: () => {
        const fault = active('stale-reads');
        return fault === undefined ? 0 : choice(fault).between(0, MAX_LAG_MS + 1);
      },
    },
  });
  const send = async (command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> => {
    const fault = active('table-steps');
    if (fault?.kind === 'table-steps') await wait(choice(fault).between(1, fault.upToMs));
    const answer = await table.client.send(command);
    for (const one of faults) if (one.kind === 'unreadable-record' && isActive(one)) spoil(answer, unreadable(one));
    return answer;
  };
  const stepwise = { ...table, client: { send: send as DynamoDBClient['send'] } };
  const bodies = expiringBodies(clock);
  const decisions = { bodies, maxItemBytes: LARGEST_DECISION_BYTES };
  const start = (): readonly DynamoDbNodeClaimStore[] =>
    Array.from({ length: PROCESSES }, () => new DynamoDbNodeClaimStore({ ...stepwise, ...decisions, clock }));
  let processes = start();
  // A backup becomes another table, or the same one minutes later, and another version of the code begins in new processes.
  const replace = (state: TableState): void => {
    table.restore(state);
    processes = start();
    onReplaced();
  };
  return {
    stores: {
      store: inTurn(() => processes),
      leases: new DynamoDbLeases({ ...stepwise, clock }),
      catalogue: new DynamoDbCatalogueStore({ ...stepwise, region: REGION }),
      backups: {
        take: () => table.snapshot(),
        restore: (backup) => isTableState(backup) && replace(backup),
        rewrite: (as) => replace(rewritten(table.snapshot(), as)),
      },
    },
    plain: new DynamoDbNodeClaimStore({ ...table, ...decisions }),
    plainMarks: new DynamoDbCatalogueStore({ ...table, region: REGION }),
    unreadable: ({ id }) => spoiled.get(id)?.slice(CLAIM.length),
  };
}
