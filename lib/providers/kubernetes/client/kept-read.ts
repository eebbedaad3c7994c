import type { Clock } from '../../../ports/clock.ts';

export interface KeptReadOptions {
  readonly clock: Clock;
  readonly keepMs: number;
}

/** A read whose result a warm function caches. Readers share one call. Failures are not cached, so the next reader tries again. */
export class KeptRead<Value> {
  readonly #read: () => Promise<Value>;
  readonly #options: KeptReadOptions;
  #kept: { readonly value: Promise<Value>; readonly untilMs: number } | undefined;

  constructor(read: () => Promise<Value>, options: KeptReadOptions) {
    this.#read = read;
    this.#options = options;
  }

  async value(): Promise<Value> {
    const { clock, keepMs } = this.#options;
    const nowMs = clock.now();
    if (this.#kept === undefined || this.#kept.untilMs <= nowMs) {
      this.#kept = { value: this.#read(), untilMs: nowMs + keepMs };
    }
    const { value } = this.#kept;
    try {
      return await value;
    } catch (error) {
      if (this.#kept?.value === value) this.#kept = undefined;
      throw error;
    }
  }

  /** The next reader reads again. */
  forget(): void {
    this.#kept = undefined;
  }
}
