import type { EC2Client } from '@aws-sdk/client-ec2';
import { formatTime, SECOND_MS } from '../../apis/time.ts';
import { PATIENCE_MS } from '../../core/call-budget/token-bucket.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { UnreachableError } from '../../ports/errors.ts';
import { isThrottled } from './errors.ts';

export interface CallBudgetTools {
  readonly budget: CallBudget;
  readonly clock: Clock;
  /** @default a timer */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * How the EC2 client is to retry where a budget holds it back. `standard`, since the `adaptive` mode would keep a bucket of
 * its own in each function, beside the shared one, and sleep by it without an end. Two attempts: the second is for a
 * connection that broke; what is throttled waits for its message to come again.
 */
export const RETRIES = { retryMode: 'standard', maxAttempts: 2 } as const;

/** Who must wait has no call within PATIENCE_MS; only callers that were in each other's way are asked to come right back. */
const CROWDED_MS = SECOND_MS / 2;

/**
 * Every request of the client, retries included, takes a call out of the budget first, and tells it when EC2 throttles.
 * *Errors:* of a call that the budget does not grant within PATIENCE_MS: UnreachableError. It was not made.
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
    // Retries are of high priority in this step: within them, each is counted.
    { step: 'finalizeRequest', priority: 'low', name: 'callBudget', override: true },
  );
  return client;
}

async function sleepFor(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

async function waitForCall({ budget, clock, sleep = sleepFor }: CallBudgetTools, action: string): Promise<void> {
  const patientUntilMs = clock.now() + CROWDED_MS;
  for (;;) {
    const grant = await budget.take(action);
    const readyMs = grant.kind === 'granted' ? grant.atMs : grant.untilMs;
    if (grant.kind === 'wait' && readyMs > patientUntilMs) {
      throw new UnreachableError(
        `EC2 ${action} was not called: the account has no calls of it left for now: try again after ${formatTime(readyMs + PATIENCE_MS)}`,
      );
    }
    const waitMs = readyMs - clock.now();
    if (waitMs > 0) await sleep(waitMs);
    if (grant.kind === 'granted') return;
  }
}
