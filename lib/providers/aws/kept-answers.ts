import type { Clock } from '../../ports/clock.ts';

/** A question to a service, by a text that says all of it, and for how long its answer is good. */
export interface Question {
  readonly key: string;
  readonly keepMs: number;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly untilMs: number;
}

/**
 * Answers that stay good for a while, so that a warm function does not ask the same again. What is being asked already is
 * not asked twice. A failure, and an answer that found nothing, is not kept: somebody may be mending it just now.
 */
export class KeptAnswers<T> {
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

  forget(key: string): void {
    this.#kept.delete(key);
  }

  /** Only this answer: a later one may have come already. */
  #drop(key: string, answer: Promise<T>): void {
    if (this.#kept.get(key)?.answer === answer) this.#kept.delete(key);
  }
}
