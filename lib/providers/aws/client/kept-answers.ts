import type { Clock } from '../../../ports/clock.ts';

/** A query to a service: its key, and how long its result is cached. */
export interface Question {
  readonly key: string;
  readonly keepMs: number;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  untilMs: number;
}

/**
 * Caches results in a warm function. Concurrent queries with the same key share one call. Failures and empty results are not
 * cached, because their cause may be fixed at any time.
 */
export class AnswerCache<T> {
  readonly #clock: Clock;
  readonly #isFound: (answer: T) => boolean;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Clock, isFound: (answer: T) => boolean) {
    this.#clock = clock;
    this.#isFound = isFound;
  }

  async ask({ key, keepMs }: Question, call: () => Promise<T>): Promise<T> {
    const nowMs = this.#clock.now();
    for (const [old, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(old);
    const known = this.#kept.get(key);
    if (known !== undefined) return await known.answer;
    const answer = call();
    this.#kept.set(key, { answer, untilMs: nowMs + keepMs });
    try {
      const found = await answer;
      if (!this.#isFound(found)) this.#drop(key, answer);
      return found;
    } catch (error) {
      this.#drop(key, answer);
      throw error;
    }
  }

  /** Shortens the time for which a result is cached, if it is incomplete. */
  keepAtMost(key: string, keepMs: number): void {
    const known = this.#kept.get(key);
    if (known !== undefined) known.untilMs = Math.min(known.untilMs, this.#clock.now() + keepMs);
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }

  /** Removes only this result, because a later one may already have replaced it. */
  #drop(key: string, answer: Promise<T>): void {
    if (this.#kept.get(key)?.answer === answer) this.#kept.delete(key);
  }
}
