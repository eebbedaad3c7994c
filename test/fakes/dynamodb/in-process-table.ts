import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { type Moment, type Prepared, preparedCommand, type Tokens } from './commands.ts';
import { noTable, type TableCall } from './errors.ts';
import { type Place, Storage, type TableState } from './storage.ts';
import type { StoredItem } from './values.ts';

/**
 * The largest lag of a read without `ConsistentRead`.
 * *Source:* DynamoDB read consistency: an eventually consistent read may not reflect a recent write; the data are usually
 * consistent within one second or less.
 */
export const MAX_LAG_MS = SECOND_MS;

/** How the table fails. Each hook may use the clock, a seed and the keys of the call. */
export interface TableFaults {
  /**
   * Surrounds each call. Call `go` for the effect and the answer:
   * - throttled for a while: `if (clock.now() < untilMs) throw throttled(call)`; also `conflict(call)`, `internalError()`
   * - a lost answer: `await go(); throw timedOut()`
   * - a request that the SDK repeats, because the first answer was lost: `await go(); return go()`
   * - another function in between: `await delay(); return go()`
   */
  readonly around?: (call: TableCall, go: () => Promise<unknown>) => Promise<unknown>;
  /** How old the state is that a read without `ConsistentRead` answers, at most MAX_LAG_MS. @default 0 */
  readonly lagMs?: (call: TableCall) => number;
  /** How many items at the end of a batch a throttled table leaves unprocessed. @default 0 */
  readonly unprocessed?: (call: TableCall) => number;
}

export interface InProcessTableOptions {
  readonly clock: Clock;
  /** @default none */
  readonly faults?: TableFaults;
  /** @default `kerf` */
  readonly tableName?: string;
}

export interface InProcessTable {
  /** For the providers: `new DynamoDbNodeClaimStore(table)`. */
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly tableName: string;
  /** All items, by partition and sort key. */
  items(): readonly StoredItem[];
  item(key: Place): StoredItem | undefined;
  /** The whole table, for `restore`: an earlier state, as after a restore from a backup. */
  snapshot(): TableState;
  restore(state: TableState): void;
  /** Deletes the items whose time to live `expiresAt` is over. DynamoDB does it within a few days, and until then reads have them. */
  deleteExpired(): void;
}

/**
 * DynamoDB in memory, with the stack's table: every command takes effect at once and completely, in the order of the calls. It
 * supports the commands and parameters that the providers use; others are an error of the test.
 * *Errors:* those of the SDK, after its last retry.
 * `test/aws/in-process/table.test.ts` compares it with DynamoDB Local.
 */
export function inProcessTable(options: InProcessTableOptions): InProcessTable {
  const { clock, faults = {}, tableName = 'kerf' } = options;
  const storage = new Storage(faults.lagMs === undefined ? 0 : MAX_LAG_MS);
  const tokens: Tokens = new Map();
  let sent = 0;
  const send = async (command: unknown): Promise<unknown> => {
    sent += 1;
    const prepared = preparedCommand({ storage, tokens, token: `call-${sent}` }, command);
    for (const name of prepared.tables) if (name !== tableName) throw noTable(name);
    const call = callOf(prepared, command);
    const go = async (): Promise<unknown> => prepared.run(momentOf(options, call));
    return faults.around === undefined ? go() : faults.around(call, go);
  };
  return {
    client: { send: send as DynamoDBClient['send'] },
    tableName,
    items: () => [...storage.all()],
    item: (key) => storage.get(key),
    snapshot: () => storage.snapshot(),
    restore: (earlier) => storage.restore(earlier),
    deleteExpired() {
      const nowSeconds = clock.now() / SECOND_MS;
      const items = [...storage.all()];
      for (const item of items) {
        const expiresAt = Number(item['expiresAt']?.N ?? Number.POSITIVE_INFINITY);
        if (expiresAt < nowSeconds)
          storage.set({ pk: item['pk']?.S ?? '', sk: item['sk']?.S ?? '' }, undefined, clock.now());
      }
    },
  };
}

function callOf({ operation, places }: Prepared, command: unknown): TableCall {
  const keys = places.map((place) => ('sk' in place ? `${place.pk} ${place.sk}` : place.pk));
  return {
    operation,
    keys,
    input: typeof command === 'object' && command !== null && 'input' in command ? Object(command.input) : {},
  };
}

function momentOf({ clock, faults = {} }: InProcessTableOptions, call: TableCall): Moment {
  const nowMs = clock.now();
  const lagMs = faults.lagMs?.(call) ?? 0;
  if (lagMs > MAX_LAG_MS) throw new RangeError(`a lag of ${lagMs} ms: at most ${MAX_LAG_MS} ms are kept`);
  return { nowMs, seenMs: lagMs > 0 ? nowMs - lagMs : undefined, unprocessed: faults.unprocessed?.(call) ?? 0 };
}
