export type CallGrant =
  /** The call may be made from `atMs` on: now or in a moment, at most PATIENCE_MS ahead. */
  | { readonly kind: 'granted'; readonly atMs: number }
  /** Others have what comes in until then: ask again. */
  | { readonly kind: 'wait'; readonly untilMs: number };

/**
 * What AWS lets the account call, shared by every function of the deployment, one budget an API. It saves work and is not
 * correctness: where it cannot be asked, calls go ahead, and AWS itself says no.
 *
 * *Contract* (`test/contract/call-budget.ts`): all that share a budget are never granted more calls than the API's limits
 * allow together; once AWS throttled, half as many, and again all of them a minute later.
 *
 * *Errors:* none.
 */
export interface CallBudget {
  take(api: string): Promise<CallGrant>;
  /** AWS throttled a call of this API just now. */
  throttled(api: string): Promise<void>;
}
