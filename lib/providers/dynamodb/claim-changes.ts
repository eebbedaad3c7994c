import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeClaimList } from '../../ports/node-claim-store.ts';
import { changedKey } from './keys.ts';
import type { Table } from './table.ts';

/** A process that changes claims all the time writes the mark this often. */
const NOTED_EVERY_MS = 30 * SECOND_MS;
/** The longest time from the check of a note to the end of the write of the claim. A slower write is noted again after it. */
const WRITE_WITHIN_MS = 25 * SECOND_MS;
/** A change may follow its note by this time, by the clock of one process. */
const SETTLED_AFTER_MS = NOTED_EVERY_MS + WRITE_WITHIN_MS;
/** Between two functions. */
const CLOCKS_DIFFER_MS = 2 * MINUTE_MS;
/** Then the list is read again without a change too. */
const KEPT_MS = 15 * MINUTE_MS;
/** A version without marks may still run while a new one is deployed. */
const FIRST_KEPT_AFTER_MS = 10 * MINUTE_MS;

/** The mark of a cluster. */
interface Mark {
  /** The time of the note; if this was not later than the mark before it, a millisecond more than that mark. */
  readonly changedAtMs: number;
  /** By the clock of this process: a list that was read at this time or later has every change that was noted with this mark. */
  readonly settledAtMs: number;
}

/**
 * Keeps the list of a cluster's claims while a mark in the table shows that no claim has changed since it was read. Every process
 * renews the mark before it changes a claim, and each note increases it, whatever the clock of its process shows. So each read is
 * strongly consistent, and an idle cluster reads one small item instead of all claims: 5,000 claims cost 6.80 USD a month if they are
 * read each minute.
 */
export class ClaimChanges {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #startMs: number;
  /** When this process began its last note. */
  readonly #notedAtMs = new Map<string, number>();
  readonly #noting = new Map<string, Promise<void>>();
  readonly #kept = new Map<string, { readonly list: NodeClaimList; readonly readAtMs: number }>();
  /** The latest mark that is known. */
  readonly #marks = new Map<string, Mark>();

  constructor(table: Table, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  /** Notes a change of claims, and makes it. *Cost:* a write unit every 30 s at most; one more if another process has a later mark. */
  async changing<T>(clusters: readonly string[], write: () => Promise<T>): Promise<T> {
    for (const cluster of clusters) await this.#note(cluster, NOTED_EVERY_MS);
    try {
      return await write();
    } finally {
      // A process that paused meanwhile may have written after the note has settled.
      for (const cluster of clusters) await this.#note(cluster, SETTLED_AFTER_MS);
    }
  }

  async #note(cluster: string, everyMs: number): Promise<void> {
    this.#kept.delete(cluster);
    // A note that began before a pause of the process is too old when it ends, and another one follows.
    while (this.#clock.now() - (this.#notedAtMs.get(cluster) ?? Number.NEGATIVE_INFINITY) >= everyMs) {
      // Claims that are written at the same time share a note that is written before all of them.
      const noting = this.#noting.get(cluster) ?? this.#write(cluster).finally(() => this.#noting.delete(cluster));
      this.#noting.set(cluster, noting);
      await noting;
    }
  }

  async #write(cluster: string): Promise<void> {
    const beganMs = this.#clock.now();
    let changedAtMs = beganMs;
    for (;;) {
      const condition = {
        expression: 'attribute_not_exists(pk) OR changedAtMs < :now',
        values: { ':now': changedAtMs },
      };
      const item = { ...changedKey(cluster), changedAtMs };
      // Each turn follows a note of another process.
      const outcome = await this.#table.write({ kind: 'put', item, condition });
      if (outcome.kind === 'written') break;
      const found = outcome.found?.['changedAtMs'];
      // Nothing is kept with a mark that is not a number.
      if (typeof found !== 'number') break;
      changedAtMs = found + 1;
    }
    this.#notedAtMs.set(cluster, beganMs);
    this.#marks.set(cluster, { changedAtMs, settledAtMs: this.#clock.now() + SETTLED_AFTER_MS });
  }

  /** The kept list, or the one that `read` returns. *Cost:* a read unit while there is a kept list. */
  async list(cluster: string, read: () => Promise<NodeClaimList>): Promise<NodeClaimList> {
    const nowMs = this.#clock.now();
    const kept = this.#kept.get(cluster);
    if (kept !== undefined && nowMs - kept.readAtMs < KEPT_MS && (await this.#isUnchanged(cluster, kept.readAtMs)))
      return kept.list;
    this.#kept.delete(cluster);
    const list = await read();
    if (list.unreadable.length === 0 && nowMs - this.#startMs >= FIRST_KEPT_AFTER_MS)
      this.#kept.set(cluster, { list, readAtMs: nowMs });
    return list;
  }

  async #isUnchanged(cluster: string, readAtMs: number): Promise<boolean> {
    const known = this.#marks.get(cluster);
    if (known !== undefined && readAtMs < known.settledAtMs) return false;
    const item = await this.#table.get(changedKey(cluster));
    const changedAtMs = item?.['changedAtMs'];
    // Without a mark, no process is known to write it.
    if (typeof changedAtMs !== 'number') return false;
    const mark = known?.changedAtMs === changedAtMs ? known : this.#firstSeen(changedAtMs);
    this.#marks.set(cluster, mark);
    // An earlier mark than before: the table was restored.
    return readAtMs >= mark.settledAtMs && changedAtMs >= (known?.changedAtMs ?? changedAtMs);
  }

  #firstSeen(changedAtMs: number): Mark {
    // Its note was made before this moment, and by the clock of its process no later than its own time.
    const notedByMs = Math.min(this.#clock.now(), changedAtMs + CLOCKS_DIFFER_MS);
    return { changedAtMs, settledAtMs: notedByMs + SETTLED_AFTER_MS };
  }
}
