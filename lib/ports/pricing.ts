/**
 * The prices of EC2 instances in one region, in USD per hour (in China, in CNY, the only currency that is published there).
 * *Errors:* UnreachableError, RefusedError: the caller continues with the last known prices.
 */
export interface Pricing {
  /** Prices for Linux on shared hardware, by type: the same in every zone (C28). */
  onDemandPrices(): Promise<ReadonlyMap<string, number>>;
  /** The latest price of each type and zone, by `type zone` (C29). */
  spotPrices(): Promise<ReadonlyMap<string, number>>;
}
