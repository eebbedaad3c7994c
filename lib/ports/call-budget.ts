export type CallGrant =
  /** The call may be made at `atMs` or later. `atMs` is at most PATIENCE_MS ahead. */
  | { readonly kind: 'granted'; readonly atMs: number }
  /** Other functions have reserved all calls until then. Try again then. */
  | { readonly kind: 'wait'; readonly untilMs: number };

/**
 * The calls that AWS allows the account, shared by every function of the deployment, with one budget for each API. It reduces
 * failed calls, and correctness does not depend on it: if the budget is unavailable, calls are made, and AWS throttles them.
 *
 * *Contract* (`test/contract/call-budget.ts`): the grants of all functions together never exceed the limits of the API. After
 * AWS has throttled a call, the rate is halved, and it recovers within a minute.
 *
 * *Errors:* none.
 */
export interface CallBudget {
  take(api: string): Promise<CallGrant>;
  /** Reports that AWS throttled a call of this API. */
  throttled(api: string): Promise<void>;
}

/** A budget from which a function takes a call before it decides to make it. */
export interface ReservableBudget extends CallBudget {
  /** Reserves a call for the next `take` of this API. A reservation that is not used within ten seconds is lost. */
  reserve(api: string): Promise<CallGrant>;
}
