import { weightOf } from './weight.ts';

/** To weigh each of 20,000 pods takes a quarter of a second. What a sample shares is overrated, which is the safe side. */
const SAMPLED = 16;

export interface KeptBytesOptions {
  /** For one cluster. */
  readonly limitBytes: number;
  readonly tell: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** How much memory the kept lists of a cluster take together, and how much they may. */
export class KeptBytes {
  readonly tell: KeptBytesOptions['tell'];
  readonly #limitBytes: number;
  readonly #taken = new Map<string, number>();

  constructor({ limitBytes, tell }: KeptBytesOptions) {
    this.#limitBytes = limitBytes;
    this.tell = tell;
  }

  /** *Shape:* false, and said so, where these items of a list would be too much beside the others. */
  take(list: string, items: readonly unknown[]): boolean {
    this.giveBack(list);
    const others = [...this.#taken.values()].reduce((sum, one) => sum + one, 0);
    const sample = items.filter((_, at) => at % SAMPLED === 0);
    const bytes = sample.length === 0 ? 0 : Math.round((weightOf(sample) * items.length) / sample.length);
    if (others + bytes > this.#limitBytes) {
      const limitBytes = this.#limitBytes;
      this.tell('a list is too large to be kept: each run reads it anew', { list, bytes, others, limitBytes });
      return false;
    }
    this.#taken.set(list, bytes);
    return true;
  }

  giveBack(list: string): void {
    this.#taken.delete(list);
  }
}
