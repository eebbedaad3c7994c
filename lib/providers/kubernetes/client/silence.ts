import { SECOND_MS } from '../../../apis/formats/time.ts';
import { UnreachableError } from '../../../ports/errors.ts';

/** The next wakes of the cluster fail at once meanwhile, and the next tick tries again. */
const SILENT_MS = 20 * SECOND_MS;

/**
 * Whether an API server is silent: a call got no connection or no answer in its whole time, and no other call got an answer
 * meanwhile. A single slow call, for example an eviction that an admission webhook delays, does not make a server silent. Calls
 * to a silent server fail at once for 20 s, so that a run ends after the first such call instead of waiting for each of its calls.
 */
export class Silence {
  readonly now: () => number;
  #answeredMs = -Infinity;
  #untilMs = -Infinity;

  constructor(now: () => number) {
    this.now = now;
  }

  /** *Shape:* when the call began. *Errors:* UnreachableError while the server is silent. */
  begin(doing: string): number {
    const nowMs = this.now();
    if (nowMs >= this.#untilMs) return nowMs;
    const seconds = Math.ceil((this.#untilMs - nowMs) / SECOND_MS);
    throw new UnreachableError(
      `Kubernetes API: ${doing}: not sent: the API server gave no answer to an earlier call; it is called again in ${seconds} s`,
    );
  }

  answered(): void {
    this.#answeredMs = this.now();
    this.#untilMs = -Infinity;
  }

  timedOut(beganMs: number): void {
    if (this.#answeredMs < beganMs) this.#untilMs = this.now() + SILENT_MS;
  }
}
