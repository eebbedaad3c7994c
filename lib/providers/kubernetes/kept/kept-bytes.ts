import { weightOf } from './estimated-bytes.ts';

/** Estimates from a sample, because measuring 20,000 pods takes 250 ms. Shared parts are counted too often, which is safe. */
const SAMPLED = 16;

/** What the log shows of kept lists. */
export type KeptListNote = 'list is too large to be cached; each run reads it completely' | 'watch did not catch up';

export interface KeptBytesOptions {
  /** The limit for one cluster. */
  readonly limitBytes: number;
  readonly tell: (message: KeptListNote, fields: Readonly<Record<string, unknown>>) => void;
}

/** Tracks and limits the memory of the cached lists of a cluster. */
export class KeptBytes {
  readonly tell: KeptBytesOptions['tell'];
  readonly #limitBytes: number;
  readonly #taken = new Map<string, number>();

  constructor({ limitBytes, tell }: KeptBytesOptions) {
    this.#limitBytes = limitBytes;
    this.tell = tell;
  }

  /** *Shape:* false, with a log line, where caching these items would exceed the limit. */
  take(list: string, items: readonly unknown[]): boolean {
    this.giveBack(list);
    const others = [...this.#taken.values()].reduce((sum, one) => sum + one, 0);
    const sample = items.filter((_, at) => at % SAMPLED === 0);
    const bytes = sample.length === 0 ? 0 : Math.round((weightOf(sample) * items.length) / sample.length);
    if (others + bytes > this.#limitBytes) {
      const limitBytes = this.#limitBytes;
      this.tell('list is too large to be cached; each run reads it completely', { list, bytes, others, limitBytes });
      return false;
    }
    this.#taken.set(list, bytes);
    return true;
  }

  giveBack(list: string): void {
    this.#taken.delete(list);
  }
}
