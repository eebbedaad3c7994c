import type { EC2Client } from '@aws-sdk/client-ec2';
import { formatTime, SECOND_MS } from '../../../apis/formats/time.ts';
import { PATIENCE_MS } from '../../../core/call-budget/token-bucket.ts';
import type { CallBudget, ReservableBudget } from '../../../ports/call-budget.ts';
import type { Clock } from '../../../ports/clock.ts';
import { CallBudgetError } from '../../../ports/errors.ts';
import { isThrottled } from './errors.ts';

export interface CallBudgetTools {
  readonly budget: CallBudget;
  readonly clock: Clock;
  /** @default a timer */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Retries of an EC2 client with a call budget. The mode is `standard`, because `adaptive` has a separate bucket in each
 * function and sleeps without limit. The second attempt is for broken connections; throttled work is retried when its
 * message is redelivered.
 */
export const RETRIES = { retryMode: 'standard', maxAttempts: 2 } as const;

/** A caller that must wait gets no call within PATIENCE_MS. Only callers that collided retry at once. */
const CROWDED_MS = SECOND_MS / 2;

/**
 * Makes every request of the client, including retries, take a call from the budget first and report throttling to it.
 * *Errors:* CallBudgetError, without a call, if the budget grants none within PATIENCE_MS.
 */
export function holdToBudget(client: EC2Client, tools: CallBudgetTools): EC2Client {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const action = commandName.replace(/Command$/, '');
        await waitForCall(tools, action);
        try {
          return await next(args);
        } catch (thrown) {
          if (isThrottled(thrown)) await tools.budget.throttled(action);
          throw thrown;
        }
      },
    // Retries have high priority in this step, so each attempt is counted.
    { step: 'finalizeRequest', priority: 'low', name: 'callBudget', override: true },
  );
  return client;
}

/** How long a call is reserved, so that no function saves up calls. */
const RESERVED_MS = 10 * SECOND_MS;

/** The budget with reservations, which are kept in this process. */
export function reservable(budget: CallBudget, clock: Clock): ReservableBudget {
  const reserved = new Map<string, readonly number[]>();
  const keptOf = (api: string): readonly number[] =>
    (reserved.get(api) ?? []).filter((atMs) => clock.now() - atMs < RESERVED_MS);
  return {
    async reserve(api) {
      const grant = await budget.take(api);
      if (grant.kind === 'granted') reserved.set(api, [...keptOf(api), grant.atMs]);
      return grant;
    },
    async take(api) {
      const [atMs, ...others] = keptOf(api);
      if (atMs === undefined) return budget.take(api);
      reserved.set(api, others);
      return { kind: 'granted', atMs: Math.max(atMs, clock.now()) };
    },
    throttled: async (api) => budget.throttled(api),
  };
}

async function sleepFor(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** @internal */
export async function waitForCall({ budget, clock, sleep = sleepFor }: CallBudgetTools, action: string): Promise<void> {
  const patientUntilMs = clock.now() + CROWDED_MS;
  for (;;) {
    const grant = await budget.take(action);
    const readyMs = grant.kind === 'granted' ? grant.atMs : grant.untilMs;
    if (grant.kind === 'wait' && readyMs > patientUntilMs) {
      throw new CallBudgetError(
        `EC2 ${action} was not called: the account's call budget is used up; try again after ${formatTime(readyMs + PATIENCE_MS)}`,
      );
    }
    const waitMs = readyMs - clock.now();
    if (waitMs > 0) await sleep(waitMs);
    if (grant.kind === 'granted') return;
  }
}
