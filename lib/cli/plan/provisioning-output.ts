import { podKey, type ResourceList } from '../../apis/kubernetes.ts';
import { HOSTNAME } from '../../apis/labels.ts';
import type { Reason } from '../../core/model/reasons.ts';
import { toNodeSelectorRequirements } from '../../core/requirements/requirement.ts';
import type { Requirements } from '../../core/requirements/requirements.ts';
import { formatResources } from '../../core/resources/resources.ts';
import type { PlannedNodeClaim, Schedule, Unplaced } from '../../core/scheduling/schedule.ts';

/** What `kerf plan provisioning --output json` prints. */
export interface ProvisioningOutput {
  readonly newNodeClaims: readonly ClaimOutput[];
  readonly existing: readonly { readonly node: string; readonly pods: readonly string[] }[];
  /** By `namespace/name`: one entry a NodePool, and before them one without, where nodes that are there did not take it. */
  readonly podErrors: Readonly<Record<string, readonly PodError[]>>;
  readonly totalHourlyPrice: number;
  readonly durationMs: number;
}

export interface ClaimOutput {
  readonly nodePool: string;
  readonly pods: readonly string[];
  readonly requirements: Readonly<
    Record<
      string,
      readonly { readonly operator: string; readonly values: readonly string[]; readonly minValues?: number }[]
    >
  >;
  /** Cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly cheapestOffering: {
    readonly type: string;
    readonly zone: string;
    readonly capacityType: string;
    readonly price: number;
  };
  readonly requests: ResourceList;
}

export interface PodError {
  readonly nodePool?: string;
  readonly reason: Reason;
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
}

export function provisioningOutput(
  { newClaims, existing, unplaced }: Schedule,
  durationMs: number,
): ProvisioningOutput {
  return {
    newNodeClaims: newClaims.map(claimOutput),
    existing: existing.map(({ stateNode, pods }) => ({ node: stateNode.name, pods: pods.map(podKey) })),
    podErrors: Object.fromEntries(unplaced.map((one) => [podKey(one.pod), podErrors(one)])),
    totalHourlyPrice: totalPrice(newClaims),
    durationMs: toMicros(durationMs),
  };
}

/** Added up as whole billionths of a dollar: what doubles leave behind the last digit of a price is nobody's. */
export function totalPrice(claims: readonly PlannedNodeClaim[]): number {
  const sum = claims.reduce((total, { cheapest }) => total + Math.round(cheapest.offering.priceUsdPerHour * 1e9), 0);
  return Math.min(sum / 1e9, Number.MAX_VALUE);
}

/** Why a pod has no place, as messages: of the nodes that are there, then of each NodePool. A pod always has one. */
export function podErrors({ refusals, onNodes }: Unplaced): readonly PodError[] {
  const nodes = onNodes === undefined ? [] : [onNodes];
  if (refusals.length === 0) return [...nodes, NO_NODE_POOL];
  const pools = refusals.map(({ nodePool, refusal: { reason, message, numbers } }) => ({
    ...(nodePool === undefined ? {} : { nodePool }),
    reason,
    message,
    numbers,
  }));
  return [...nodes, ...pools];
}

const NO_NODE_POOL: PodError = {
  reason: 'NoNodePool',
  message: 'there is no NodePool that could launch a node for it',
  numbers: {},
};

function claimOutput(claim: PlannedNodeClaim): ClaimOutput {
  const { type, offering } = claim.cheapest;
  return {
    nodePool: claim.template.nodePool.metadata.name,
    pods: claim.pods.map(podKey),
    requirements: requirementsOutput(claim.requirements),
    instanceTypes: claim.instanceTypes.map(({ name }) => name),
    cheapestOffering: {
      type: type.name,
      zone: offering.zone,
      capacityType: offering.capacityType,
      price: offering.priceUsdPerHour,
    },
    requests: formatResources(claim.requests),
  };
}

/** The hostname stands for a node that has no name yet. */
function requirementsOutput(requirements: Requirements): ClaimOutput['requirements'] {
  return Object.fromEntries(
    [...requirements.values()]
      .filter(({ key }) => key !== HOSTNAME)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map((one) => [
        one.key,
        toNodeSelectorRequirements(one).map(({ operator, values = [], minValues }) => ({
          operator,
          values,
          ...(minValues === undefined ? {} : { minValues }),
        })),
      ]),
  );
}

function toMicros(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
