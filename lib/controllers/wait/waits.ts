import { UnreachableError } from '../../ports/errors.ts';
import type { Timer } from '../../ports/timer.ts';

/** The waits of one run that have a limit. */
export interface Waits {
  /**
   * Waits for the work, at most so long and at most half of the remaining time. The work continues after that. After one wait for
   * `what` has taken the whole time, the run does not wait for it again. *Errors:* those of the work, while the run waits.
   */
  atMost<Result>(limit: WaitLimit, work: Promise<Result>): Promise<Waited<Result>>;
}

export interface WaitLimit {
  readonly what: string;
  readonly ms: number;
}

export type Waited<Result> =
  | { readonly kind: 'ended'; readonly result: Result }
  | { readonly kind: 'late'; readonly waitedMs: number };

/** What may have limited waits. */
export type MayLimitWaits = {
  /** @default the run waits until the work ends */
  readonly waits?: Waits;
};

/** Waits with the limit of the run, if it has limits. *Errors:* as `Waits`. */
export async function atMost<Result>(
  { waits }: MayLimitWaits,
  limit: WaitLimit,
  work: Promise<Result>,
): Promise<Waited<Result>> {
  return waits === undefined ? { kind: 'ended', result: await work } : waits.atMost(limit, work);
}

/** *Errors:* those of the work; UnreachableError if it has not ended in time. */
export async function answered<Result>(ports: MayLimitWaits, limit: WaitLimit, work: Promise<Result>): Promise<Result> {
  const waited = await atMost(ports, limit, work);
  if (waited.kind === 'late') throw new UnreachableError(`${limit.what}: no answer within ${limit.ms} ms`);
  return waited.result;
}

/** The waits of an invocation. */
export function waitsOf(timer: Timer): Waits {
  const late = new Set<string>();
  return {
    async atMost<Result>({ what, ms }: WaitLimit, work: Promise<Result>): Promise<Waited<Result>> {
      if (late.has(what)) {
        work.catch(() => {});
        return { kind: 'late', waitedMs: 0 };
      }
      const waited = await waitAtMost(timer, ms, work);
      if (waited.kind === 'late') late.add(what);
      return waited;
    },
  };
}

/** Waits for the work, at most so long and at most half of the remaining time. The work continues after that. *Errors:* as `Waits`. */
export async function waitAtMost<Result>(timer: Timer, ms: number, work: Promise<Result>): Promise<Waited<Result>> {
  const waitedMs = Math.min(ms, timer.remainingMs() / 2);
  const { promise: expired, resolve } = Promise.withResolvers<Waited<Result>>();
  const cancel = timer.after(waitedMs, () => resolve({ kind: 'late', waitedMs }));
  try {
    return await Promise.race([work.then((result) => ({ kind: 'ended', result }) as const), expired]);
  } finally {
    cancel();
  }
}
