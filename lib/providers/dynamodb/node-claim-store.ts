import type { Decision } from '../../core/model/decision.ts';
import {
  NO_MEMORY,
  type PassMemory,
  passMemoryFromStored,
  type StoredPassMemory,
} from '../../core/model/disruption/pass-memory.ts';
import { movesInForce, type PastMove } from '../../core/model/disruption/past-move.ts';
import {
  commandFromStored,
  type DisruptionCommand,
  type ReplacingCommand,
  type StoredCommand,
} from '../../core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { countsUntilMs, type UnusedLaunches } from '../../core/model/provisioning/unused-launches.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Lease } from '../../ports/leases.ts';
import type { NodeClaimList, NodeClaimStore, Nomination } from '../../ports/node-claim-store.ts';
import { MAX_ITEM_BODY_BYTES, packBody, unpackBody } from './body.ts';
import type { Bodies } from './body-bucket.ts';
import { ClaimChanges } from './claim-changes.ts';
import {
  closeDecision,
  type DecisionPlace,
  hasOpenDecisions,
  openDecisions,
  readEpoch,
  recordDecision,
  writeShadowDecision,
} from './decisions.ts';
import {
  COMMAND,
  clusterPartition,
  commandKey,
  MOVE,
  moveKey,
  nominationKey,
  nominationsFrom,
  passMemoryKey,
  standbyKey,
  unusedLaunchesKey,
} from './keys.ts';
import {
  createClaim,
  findClaim,
  hasDeletedClaims,
  listClaims,
  readClaim,
  updateClaim,
  updateClaims,
} from './node-claims.ts';
import { numberOf, type ReportUnreadable, readableItems } from './readable.ts';
import { isDisruptionCommand, isPassMemory, isPastMove, isUnusedLaunches } from './stored-shapes.ts';
import { ABSENT, type Attributes, type Item, PRESENT, Table, type TableOptions } from './table.ts';

export interface NodeClaimStoreOptions extends TableOptions {
  /** @default decisions that are too large for an item are refused */
  readonly bodies?: Bodies;
  /** The size from which the body of a decision is stored in `bodies`. @default MAX_ITEM_BODY_BYTES */
  readonly maxItemBytes?: number;
  /** Gets each item that a list leaves out because it cannot be read. @default it is left out without a report */
  readonly report?: ReportUnreadable;
  /**
   * Ends open decisions that cannot be read, notes changes of claims, and keeps lists while there are none. @default open decisions stay
   * in the table, and every list is read. Only for a store that changes no claim.
   */
  readonly clock?: Clock;
}

/**
 * NodeClaims, decisions and commands in one DynamoDB table: string keys `pk` and `sk`, time to live in `expiresAt`.
 * *Cost:* one strong read or query a list; a claim's launch, a claim's release and a decision are transactions.
 */
export class DynamoDbNodeClaimStore implements NodeClaimStore {
  readonly #table: Table;
  readonly #decisions: DecisionPlace;
  readonly #report: ReportUnreadable;
  readonly #changes: ClaimChanges | undefined;

  constructor({
    bodies,
    maxItemBytes = MAX_ITEM_BODY_BYTES,
    clock,
    report = () => {},
    ...options
  }: NodeClaimStoreOptions) {
    this.#table = new Table(options);
    this.#decisions = { table: this.#table, bodies, maxItemBytes, clock, report };
    this.#report = report;
    this.#changes = clock && new ClaimChanges(this.#table, clock);
  }

  readEpoch(cluster: string): Promise<number> {
    return readEpoch(this.#table, cluster);
  }

  recordDecision(decision: Decision, epoch: number, lease?: Lease): Promise<void> {
    return recordDecision(this.#decisions, { decision, epoch, lease });
  }

  openDecisions(cluster: string): Promise<readonly Decision[]> {
    return openDecisions(this.#decisions, cluster);
  }

  hasOpenDecisions(cluster: string): Promise<boolean> {
    return hasOpenDecisions(this.#table, cluster);
  }

  closeDecision(decision: Decision): Promise<'closed' | 'known'> {
    return closeDecision(this.#table, decision);
  }

  recordShadow(decision: Decision, essence: string): Promise<'new' | 'known'> {
    return writeShadowDecision(this.#decisions, decision, essence);
  }

  createNodeClaim(record: NodeClaimRecord): Promise<void> {
    return this.#changing([record], () => createClaim(this.#table, record));
  }

  readNodeClaim(cluster: string, name: string): Promise<NodeClaimRecord | undefined> {
    return readClaim({ table: this.#table, report: this.#report }, cluster, name);
  }

  async listNodeClaims(cluster: string): Promise<readonly NodeClaimRecord[]> {
    return (await this.readNodeClaims(cluster)).records;
  }

  hasDeletedClaims(cluster: string): Promise<boolean> {
    return hasDeletedClaims(this.#table, cluster);
  }

  readNodeClaims(cluster: string): Promise<NodeClaimList> {
    const read = async (): Promise<NodeClaimList> => listClaims(this.#table, cluster, this.#report);
    return this.#changes === undefined ? read() : this.#changes.list(cluster, read);
  }

  findNodeClaim(
    instanceId: string,
    isServed: (cluster: string) => boolean,
  ): Promise<NodeClaimRecord | 'not-served' | undefined> {
    return findClaim({ table: this.#table, report: this.#report }, instanceId, isServed);
  }

  updateNodeClaim(record: NodeClaimRecord): Promise<NodeClaimRecord> {
    return this.#changing([record], () => updateClaim(this.#table, record));
  }

  updateNodeClaims(records: readonly NodeClaimRecord[]): Promise<readonly NodeClaimRecord[]> {
    return this.#changing(records, () => updateClaims(this.#table, records));
  }

  #changing<T>(records: readonly NodeClaimRecord[], write: () => Promise<T>): Promise<T> {
    if (this.#changes === undefined) return write();
    return this.#changes.changing([...new Set(records.map(({ cluster }) => cluster))], write);
  }

  async startCommand(cluster: string, command: StoredCommand): Promise<void> {
    await this.#table.write({ kind: 'put', item: commandItem(cluster, command), condition: ABSENT });
  }

  async continueCommand(cluster: string, command: ReplacingCommand): Promise<void> {
    await this.#table.write({ kind: 'put', item: commandItem(cluster, command), condition: PRESENT });
  }

  async listCommands(cluster: string): Promise<readonly DisruptionCommand[]> {
    const items = await this.#table.query(clusterPartition(cluster), COMMAND);
    return readableItems(items, commandOf, this.#report);
  }

  async endCommand(cluster: string, id: string): Promise<void> {
    await this.#table.write({ kind: 'delete', key: commandKey(cluster, id) });
  }

  async readPassMemory(cluster: string): Promise<PassMemory> {
    const item = await this.#table.get(passMemoryKey(cluster));
    const [memory] = await readableItems(item === undefined ? [] : [item], passMemoryOf, this.#report);
    return memory ?? NO_MEMORY;
  }

  async writePassMemory(cluster: string, memory: StoredPassMemory): Promise<void> {
    const payload = packBody(memory, 'the memory of passes of disruption');
    await this.#table.write({ kind: 'put', item: { ...passMemoryKey(cluster), payload } });
  }

  async readUnusedLaunches(cluster: string): Promise<readonly UnusedLaunches[]> {
    const item = await this.#table.get(unusedLaunchesKey(cluster));
    const [launches] = await readableItems(item === undefined ? [] : [item], unusedLaunchesOf, this.#report);
    return launches ?? [];
  }

  async writeUnusedLaunches(cluster: string, launches: readonly UnusedLaunches[]): Promise<void> {
    const payload = packBody(launches, 'unused launches');
    const expiresAt = Math.ceil(Math.max(0, ...launches.map(countsUntilMs)) / 1_000);
    await this.#table.write({ kind: 'put', item: { ...unusedLaunchesKey(cluster), payload, expiresAt } });
  }

  async recordMove(cluster: string, move: PastMove): Promise<void> {
    const payload = packBody(move, `the move of disruption command ${move.command}`);
    const item = { ...moveKey(cluster, move.command), payload, expiresAt: Math.ceil(move.untilMs / 1_000) };
    await this.#table.write({ kind: 'put', item });
  }

  async listMoves(cluster: string, nowMs: number): Promise<readonly PastMove[]> {
    const items = await this.#table.query(clusterPartition(cluster), MOVE);
    return movesInForce(await readableItems(items, moveOf, this.#report), nowMs);
  }

  async nominate(cluster: string, { node, untilMs }: Nomination): Promise<void> {
    // Of several nominations of a node, the last one counts, so two runs may nominate a node in any order.
    const item = { ...nominationKey(cluster, node, untilMs), untilMs, expiresAt: Math.ceil(untilMs / 1_000) };
    await this.#table.write({ kind: 'put', item });
  }

  async listNominations(cluster: string, nowMs: number): Promise<readonly Nomination[]> {
    const items = await this.#table.query(clusterPartition(cluster), nominationsFrom(nowMs));
    const last = new Map<string, Nomination>();
    for (const one of await readableItems(items, nominationOf, this.#report))
      if (one.untilMs > (last.get(one.node)?.untilMs ?? nowMs)) last.set(one.node, one);
    return [...last.values()];
  }

  async setStandby(cluster: string, untilMs: number): Promise<void> {
    const item = { ...standbyKey(cluster), untilMs, expiresAt: Math.ceil(untilMs / 1_000) };
    const condition = { expression: 'attribute_not_exists(pk) OR untilMs < :until', values: { ':until': untilMs } };
    await this.#table.write({ kind: 'put', item, condition });
  }

  async isOnStandby(cluster: string, nowMs: number): Promise<boolean> {
    const item = await this.#table.get(standbyKey(cluster));
    return Number(item?.['untilMs'] ?? 0) > nowMs;
  }
}

function commandItem(cluster: string, command: StoredCommand): Item {
  return { ...commandKey(cluster, command.id), payload: packBody(command, `disruption command ${command.id}`) };
}

function commandOf(item: Attributes): DisruptionCommand {
  return commandFromStored(unpackBody(item['payload'], isDisruptionCommand, `command item ${String(item['sk'])}`));
}

function passMemoryOf(item: Attributes): PassMemory {
  return passMemoryFromStored(unpackBody(item['payload'], isPassMemory, `item ${String(item['sk'])}`));
}

function unusedLaunchesOf(item: Attributes): readonly UnusedLaunches[] {
  return unpackBody(item['payload'], isUnusedLaunches, `item ${String(item['sk'])}`);
}

function moveOf(item: Attributes): PastMove {
  return unpackBody(item['payload'], isPastMove, `move item ${String(item['sk'])}`);
}

function nominationOf(item: Attributes): Nomination {
  const key = String(item['sk']);
  // Names of nodes have no `#`.
  return { node: key.slice(key.lastIndexOf('#') + 1), untilMs: numberOf(item, 'untilMs') };
}
