/** The default of `preferencePriceFactor`. */
export const DEFAULT_PREFERENCE_PRICE_FACTOR = 1.5;

/** What a user may set of scheduling (F17); what is left out is Karpenter's default. */
export interface SchedulingOptions {
  /** B32: whether preferences are tried first, or never looked at. @default 'Respect' */
  readonly preferencePolicy?: 'Respect' | 'Ignore';
  /**
   * The most that the preferences of a pod may cost while capacity is missing, as a multiple of the cheapest node without them.
   * @default 1.5
   */
  readonly preferencePriceFactor?: number;
  /** B24: whether a claim that cannot keep its minValues is refused, or made with what there is. @default 'Strict' */
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  /**
   * B59: whether a pod takes other capacity where reserved capacity would do and other claims hold it. A simulation that
   * decides whether nodes may go asks once, and lets it.
   * @default false: the pod waits for the next run
   */
  readonly reservedFallback?: boolean;
  /** E24, F18: whether consolidation replaces spot nodes by spot nodes. @default false */
  readonly spotToSpotConsolidation?: boolean;
  /** D31, F18: whether NodePools with `spec.replicas` keep this number of nodes. @default false */
  readonly staticCapacity?: boolean;
  /** Whether several nodes may be replaced by several cheaper ones. Karpenter replaces nodes by one at most (E21). @default true */
  readonly fleetConsolidation?: boolean;
  /** Whether moves of consolidation that save little for their evictions wait. Karpenter's do not (E28). @default false */
  readonly lowScoreWaits?: boolean;
  /** Whether nodes that are used less than others have a taint, so that the kube-scheduler uses them last. Karpenter has none. @default true */
  readonly softTaints?: boolean;
  /**
   * `first-fit`: only as Karpenter packs (B34): each pod in order, on the first claim that can become large enough. `without-search`:
   * pods of new claims are not packed again. Both are for comparisons: no cluster can set them. @default 'cheapest'
   */
  readonly packing?: 'cheapest' | 'first-fit' | 'without-search';
  /** Whether the search goes on while the price is far above its bound. One of thousands of questions of disruption does not. @default true */
  readonly longSearch?: boolean;
}
