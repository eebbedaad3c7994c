/** The real stores over a table in memory that counts request units. */
import { gzipSync } from 'node:zlib';
import { ownField } from '../../lib/apis/record.ts';
import { type DecisionRecorder, decisionRecorder } from '../../lib/controllers/record/decision-recorder.ts';
import type { CallBudget } from '../../lib/ports/call-budget.ts';
import type { DecisionArchive } from '../../lib/ports/decision-log.ts';
import { ec2CallLimits } from '../../lib/providers/aws/client/ec2-call-limits.ts';
import type { Bodies } from '../../lib/providers/dynamodb/body-bucket.ts';
import { DynamoDbCallBudget } from '../../lib/providers/dynamodb/call-budget.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbDecisionLog } from '../../lib/providers/dynamodb/decision-log.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import type { SimulatedStores } from '../../lib/simulator/deployment.ts';
import type { Timetable } from '../../lib/simulator/timetable.ts';
import { decidedText } from '../../lib/snapshot/write-snapshot.ts';
import type { TableCall } from '../../test/fakes/dynamodb/errors.ts';
import { type InProcessTable, inProcessTable } from '../../test/fakes/dynamodb/in-process-table.ts';
import type { Place } from '../../test/fakes/dynamodb/storage.ts';
import type { StoredItem } from '../../test/fakes/dynamodb/values.ts';
import { memoryBodies } from '../../test/fakes/memory-bodies.ts';
import { memoryDecisionArchive } from '../../test/fakes/memory-decision-log.ts';
import { CPU_MS, LATENCY_MS } from './assumptions.ts';
import type { MutableUse } from './ledger.ts';
import type { Meter } from './meter.ts';
import { itemBytes, readUnits, sizesOf, writeUnits, writtenKeys } from './request-units.ts';

const REGION = 'us-east-1';
/** Only renewals of leases come from timers and belong to no call. The bill has only their units. */
const OF_TIMERS = 'provisioning';
const MB = 1_000_000;
/** Of the storage of an item, not of reads and writes. */
const ITEM_OVERHEAD_BYTES = 100;

export interface CountedStores {
  readonly stores: SimulatedStores;
  /** The budget of EC2's calls of one process. */
  readonly budgetOf: (name: string) => CallBudget;
  readonly recorder: DecisionRecorder;
  readonly tableBytes: () => number;
}

export function countedStores(meter: Meter, timetable: Timetable): CountedStores {
  const counted: InProcessTable = inProcessTable({
    clock: timetable,
    faults: { around: async (call, go) => countedCall({ table: counted, meter, timetable }, call, go) },
  });
  const budgets = new Map<string, CallBudget>();
  return {
    stores: {
      store: ofEachFunction(
        meter,
        () => new DynamoDbNodeClaimStore({ ...counted, clock: timetable, bodies: countedBodies(meter) }),
      ),
      leases: new DynamoDbLeases({ ...counted, clock: timetable }),
      catalogue: ofEachFunction(meter, () => new DynamoDbCatalogueStore({ ...counted, region: REGION })),
    },
    budgetOf(name) {
      const options = { ...counted, region: REGION, clock: timetable, limitsOf: ec2CallLimits };
      const budget = budgets.get(name) ?? new DynamoDbCallBudget(options);
      budgets.set(name, budget);
      return budget;
    },
    recorder: countedRecorder(meter, counted),
    tableBytes: () => counted.items().reduce((sum, item) => sum + itemBytes(item) + ITEM_OVERHEAD_BYTES, 0),
  };
}

/** The process of each function has a store of its own, which keeps what it has read. */
function ofEachFunction<Store extends object>({ current }: Meter, make: () => Store): Store {
  const stores = new Map<string, Store>();
  return new Proxy(make(), {
    get(_, name): unknown {
      const caller = current.getStore()?.function ?? OF_TIMERS;
      const store = stores.get(caller) ?? make();
      stores.set(caller, store);
      const method: unknown = Reflect.get(store, name);
      return typeof method === 'function' ? method.bind(store) : method;
    },
  });
}

/** The real recorder. Its calls and its CPU time belong to the function of the run. */
function countedRecorder(meter: Meter, table: InProcessTable): DecisionRecorder {
  const use = () => meter.of(meter.current.getStore()?.function ?? OF_TIMERS);
  const archive = memoryDecisionArchive();
  const counted: DecisionArchive = {
    async put(key, text) {
      use().s3Puts += 1;
      // The text is compressed in the function.
      gzipSync(text);
      await archive.put(key, '');
    },
    get: async (key) => archive.get(key),
  };
  const log = new DynamoDbDecisionLog({ ...table, archive: counted });
  const recorder = decisionRecorder({ log, archive: counted, snapshotText: decidedText, version: '0.0.0' });
  return {
    async record(run) {
      const running = { function: run.report.controller };
      meter.enter(running);
      await meter.current.run(running, async () => recorder.record(run));
      meter.enter(undefined);
    },
  };
}

/** Counts the units of a call of the table, which takes the assumed time. */
async function countedCall(
  { table, meter, timetable }: { readonly table: InProcessTable; readonly meter: Meter; readonly timetable: Timetable },
  { operation, input }: TableCall,
  go: () => Promise<unknown>,
): Promise<unknown> {
  const running = meter.current.getStore();
  const use = meter.of(running?.function ?? OF_TIMERS);
  meter.count(use, `table.${operation}`, CPU_MS.sdkCall);
  // The table in memory is not a part of the function.
  meter.enter(undefined);
  const isTransaction = operation === 'TransactWriteItems';
  const keys = writtenKeys(input);
  const before = sizesOf(table, keys);
  let latencyMs: number = isTransaction ? LATENCY_MS.tableTransaction : LATENCY_MS.tablePut;
  try {
    const answer = await go();
    if (operation !== 'GetItem' && operation !== 'Query') return answer;
    const items = itemsRead(table, input, answer);
    use.readUnits += readUnits(items, ownField(input, 'ConsistentRead') === true);
    const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
    latencyMs = LATENCY_MS.tableQuery + (LATENCY_MS.tableQueryMb * bytes) / MB;
    return answer;
  } finally {
    if (operation !== 'GetItem' && operation !== 'Query')
      countWrite(use, { keys, units: writeUnits(before, sizesOf(table, keys), isTransaction) });
    await timetable.wait(latencyMs);
    meter.enter(running);
  }
}

/** Also by kinds of items, for a closer look: `written claim+epoch`. */
function countWrite(
  use: MutableUse,
  { keys, units }: { readonly keys: readonly Place[]; readonly units: number },
): void {
  const kinds = `written ${keys.map(({ pk, sk }) => (pk.startsWith('cluster#') ? sk : pk).split('#')[0]).join('+')}`;
  use.writeUnits += units;
  use.calls[kinds] = (use.calls[kinds] ?? 0) + units;
}

/** The items that a read was billed for: with a projection, the whole items. */
function itemsRead(table: InProcessTable, input: object, answer: unknown): readonly StoredItem[] {
  const { Item, Items: found = [] }: { Item?: StoredItem; Items?: readonly StoredItem[] } = Object(answer);
  const items = Item === undefined ? found : [Item];
  if (ownField(input, 'ProjectionExpression') === undefined) return items;
  const values = ownField(input, 'ExpressionAttributeValues');
  const [pk, prefix] = [ownField(ownField(values, ':pk'), 'S'), ownField(ownField(values, ':prefix'), 'S')];
  return table.items().filter((item) => item['pk']?.S === pk && item['sk']?.S?.startsWith(String(prefix)) === true);
}

function countedBodies(meter: Meter): Bodies {
  const bodies = memoryBodies();
  const use = () => meter.of(meter.current.getStore()?.function ?? OF_TIMERS);
  return {
    async put(body) {
      use().s3Puts += 1;
      return bodies.put(body);
    },
    async get(key, subject) {
      use().s3Gets += 1;
      return bodies.get(key, subject);
    },
  };
}
