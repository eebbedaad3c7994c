/**
 * What EC2 asks for instances of one region, in USD an hour (in China CNY, which is all that is known there).
 * *Errors:* UnreachableError, RefusedError: who asks goes on with the prices that are known.
 */
export interface Pricing {
  /** Linux, shared hardware, by type: the same in every zone (C28). */
  onDemandPrices(): Promise<ReadonlyMap<string, number>>;
  /** The latest of each type and zone, by `type zone` (C29). */
  spotPrices(): Promise<ReadonlyMap<string, number>>;
}
