/** What a user may set of scheduling (F17); what is left out is Karpenter's default. */
export interface SchedulingOptions {
  /** B32: whether preferences are tried first, or never looked at. @default 'Respect' */
  readonly preferencePolicy?: 'Respect' | 'Ignore';
  /** B24: whether a claim that cannot keep its minValues is refused, or made with what there is. @default 'Strict' */
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
}
