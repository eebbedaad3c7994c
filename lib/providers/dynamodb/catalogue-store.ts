import { createHash } from 'node:crypto';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { UnavailableMark, UnavailableOffering } from '../../core/model/decision.ts';
import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import type { CatalogueStore } from '../../ports/catalogue-store.ts';
import { RefusedError, UnreachableError } from '../../ports/errors.ts';
import { compress, MAX_ITEM_BODY_BYTES, unpackBody } from './body.ts';
import { cataloguePartition } from './keys.ts';
import { learnMemory, listLearnedMemory } from './learned-memory.ts';
import { type ReportUnreadable, readItem, unreadable } from './readable.ts';
import { isCatalogue } from './stored-shapes.ts';
import { type Attributes, type Key, PRESENT, Table, type TableOptions, type Write } from './table.ts';
import { listMarked, markAll } from './unavailable-offerings.ts';

export interface CatalogueStoreOptions extends TableOptions {
  readonly region: string;
  /** Gets each item that a list leaves out because it cannot be read. @default it is left out without a report */
  readonly report?: ReportUnreadable;
}

const HEAD = 'head';
const CHUNK = 'chunk#';
/** A transaction is limited to 4 MB, and one transaction checks all chunks and makes them current. */
const MAX_CHUNKS = 10;
const TRIES = 5;

/**
 * The catalogue, in chunk items named by the hash of their content, and a head item with the current hash. The head changes
 * only while all chunks of the new hash exist, and chunks are deleted only while the head has another hash. A reader that
 * follows the head finds a complete version, or reads the head again. A store keeps the last version that it has read, the same
 * object each time, so that most reads cost one item. *Cost:* the memory of a catalogue, some tens of MB in a large region.
 */
export class DynamoDbCatalogueStore implements CatalogueStore {
  readonly #table: Table;
  readonly #region: string;
  readonly #report: ReportUnreadable;
  /** The last version that was read. A version is the hash of its content, so it never changes. */
  #kept: { readonly version: string; readonly catalogue: Catalogue } | undefined;

  constructor({ region, report = () => {}, ...options }: CatalogueStoreOptions) {
    this.#table = new Table(options);
    this.#region = region;
    this.#report = report;
  }

  async readCatalogue(): Promise<Catalogue | undefined> {
    const heads = new Set<string>();
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      // The head may change meanwhile; then the new version is read.
      const found = await this.#readOnce();
      if (found.kind === 'absent') return undefined;
      if (found.kind === 'found') return found.catalogue;
      heads.add(found.version);
    }
    if (heads.size > 1) {
      throw new UnreachableError(
        `the catalogue of ${this.#region} was replaced ${TRIES} times while it was read; try again`,
      );
    }
    this.#report(unreadable({ ...this.#headKey() }, `its chunks are not those of version ${[...heads].join('')}`));
    // The catalogue function writes it again.
    return undefined;
  }

  async writeCatalogue(catalogue: Catalogue): Promise<void> {
    const chunks = split(compress(catalogue), this.#region);
    const version = versionOf(chunks);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      // Another writer may have deleted the chunks before the head referred to them; then they are written again.
      if (await this.#writeOnce(chunks, version)) {
        return this.#sweep(version);
      }
    }
    throw new UnreachableError(
      `the catalogue of ${this.#region} is constantly replaced by other writers; try again later`,
    );
  }

  markUnavailable(marks: readonly UnavailableMark[]): Promise<void> {
    return markAll(this.#table, this.#region, marks);
  }

  listUnavailable(nowMs: number): Promise<readonly UnavailableOffering[]> {
    return listMarked(this.#table, this.#region, { nowMs, report: this.#report });
  }

  learnMemory(lesson: LearnedMemory, nowMs: number): Promise<void> {
    return learnMemory(this.#table, this.#region, { lesson, nowMs });
  }

  listLearnedMemory(nowMs: number): Promise<readonly LearnedMemory[]> {
    return listLearnedMemory(this.#table, this.#region, { nowMs, report: this.#report });
  }

  #headKey(): Key {
    return { pk: cataloguePartition(this.#region), sk: HEAD };
  }

  #chunkKey(version: string, index: number): Key {
    return { pk: cataloguePartition(this.#region), sk: `${CHUNK}${version}#${String(index).padStart(3, '0')}` };
  }

  async #readOnce(): Promise<
    | { readonly kind: 'absent' }
    | { readonly kind: 'replaced'; readonly version: string }
    | { readonly kind: 'found'; readonly catalogue: Catalogue }
  > {
    const head = await this.#table.get(this.#headKey());
    if (head === undefined) return { kind: 'absent' };
    const version = String(head['currentVersion']);
    if (this.#kept?.version === version) return { kind: 'found', catalogue: this.#kept.catalogue };
    const items = await this.#table.query(cataloguePartition(this.#region), `${CHUNK}${version}#`);
    if (items.length !== head['chunkCount']) return { kind: 'replaced', version };
    const read = await readItem(head, () => catalogueIn(items, this.#region));
    if (read.kind === 'read') {
      this.#kept = { version, catalogue: read.value };
      return { kind: 'found', catalogue: read.value };
    }
    this.#report(read.error);
    // The catalogue function writes it again.
    return { kind: 'absent' };
  }

  /** False where a chunk was deleted before the head could refer to it. */
  async #writeOnce(chunks: readonly Uint8Array[], version: string): Promise<boolean> {
    const keys = chunks.map((_, index) => this.#chunkKey(version, index));
    await Promise.all(
      chunks.map((payload, index) =>
        this.#table.write({ kind: 'put', item: { ...this.#chunkKey(version, index), payload } }),
      ),
    );
    const checks: readonly Write[] = keys.map((key) => ({ kind: 'check', key, condition: PRESENT }));
    const head: Write = {
      kind: 'put',
      item: { ...this.#headKey(), currentVersion: version, chunkCount: chunks.length },
    };
    return (await this.#table.transact([head, ...checks], 'replace the catalogue')).kind === 'written';
  }

  async #sweep(version: string): Promise<void> {
    const chunks = await this.#table.query(cataloguePartition(this.#region), CHUNK, 'pk, sk');
    const stillCurrent: Write = {
      kind: 'check',
      key: this.#headKey(),
      condition: { expression: 'currentVersion = :current', values: { ':current': version } },
    };
    const old = chunks.map((chunk) => String(chunk['sk'])).filter((sk) => !sk.startsWith(`${CHUNK}${version}#`));
    const deletes = old.map((sk): Write => ({ kind: 'delete', key: { pk: cataloguePartition(this.#region), sk } }));
    // Refused: another function wrote a newer catalogue and deletes the old chunks.
    await Promise.all(
      deletes.map((remove) => this.#table.transact([stillCurrent, remove], 'delete old chunks of the catalogue')),
    );
  }
}

function split(body: Uint8Array, region: string): readonly Uint8Array[] {
  const count = Math.ceil(body.byteLength / MAX_ITEM_BODY_BYTES);
  if (count > MAX_CHUNKS) {
    throw new RefusedError(
      `the catalogue of ${region} is too large: ${body.byteLength} bytes, at most ${MAX_CHUNKS * MAX_ITEM_BODY_BYTES}`,
    );
  }
  return Array.from({ length: count }, (_, index) =>
    body.subarray(index * MAX_ITEM_BODY_BYTES, (index + 1) * MAX_ITEM_BODY_BYTES),
  );
}

function versionOf(chunks: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex').slice(0, 16);
}

function catalogueIn(chunks: readonly Attributes[], region: string): Catalogue {
  return unpackBody(Buffer.concat(chunks.map(bytesOf)), isCatalogue, `the catalogue of ${region}`);
}

function bytesOf(item: Attributes): Uint8Array {
  const payload = item['payload'];
  return payload instanceof Uint8Array ? payload : new Uint8Array();
}
