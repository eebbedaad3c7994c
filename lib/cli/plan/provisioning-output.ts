import { podKey } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { type PodRefusal, refusalsOf } from '../../core/provisioning/pod-refusals.ts';
import type { ProvisioningVerdict } from '../../core/provisioning/provision.ts';
import { type ClaimOutput, claimOutput, totalPrice } from './claim-output.ts';

/** The output of `kerf plan provisioning --output json`. */
export interface ProvisioningOutput {
  readonly newNodeClaims: readonly ClaimOutput[];
  readonly existing: readonly { readonly node: string; readonly pods: readonly string[] }[];
  /** By `namespace/name`: first why existing nodes do not fit, if there are any, then one entry for each NodePool. */
  readonly podErrors: Readonly<Record<string, readonly PodRefusal[]>>;
  readonly totalHourlyPrice: number;
  /** No other nodes of the same NodePools for the pods on new nodes are cheaper. @default not computed */
  readonly lowerBoundHourlyPrice?: number;
  /** How far the price is above this bound. @default there is no bound */
  readonly gapPercent?: number;
  readonly durationMs: number;
  /** Pods that provisioning ignores, and objects without an effect. */
  readonly notes: readonly string[];
}

/** The plan as JSON: the new claims with their launch options, and the reasons for unschedulable pods. */
export function provisioningOutput(
  { schedule: { newClaims, existing, unplaced }, price }: ProvisioningVerdict,
  { durationMs, notes }: { readonly durationMs: number; readonly notes: readonly string[] },
): ProvisioningOutput {
  const { lowerBoundUsdPerHour: bound, gapPercent: gap } = price ?? { lowerBoundUsdPerHour: 0, gapPercent: 0 };
  return {
    newNodeClaims: newClaims.map((claim) => claimOutput(claim)),
    existing: existing.map(({ stateNode, pods }) => ({ node: stateNode.name, pods: pods.map(podKey) })),
    podErrors: Object.fromEntries(unplaced.map((one) => [podKey(one.pod), refusalsOf(one)])),
    totalHourlyPrice: totalPrice(newClaims),
    ...optional({ lowerBoundHourlyPrice: bound, gapPercent: gap }),
    durationMs: toMicros(durationMs),
    notes,
  };
}

/** Milliseconds with three decimals. */
export function toMicros(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
