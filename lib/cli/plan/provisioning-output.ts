import { podKey, type ResourceList } from '../../apis/kubernetes.ts';
import { HOSTNAME } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { compareText } from '../../core/compare-text.ts';
import type { LaunchOption, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { Reason } from '../../core/model/reasons.ts';
import { NO_NODE_POOL, type ProvisioningVerdict } from '../../core/provisioning/provision.ts';
import { toNodeSelectorRequirements } from '../../core/requirements/requirement.ts';
import type { Requirements } from '../../core/requirements/requirements.ts';
import { formatResources } from '../../core/resources/resources.ts';
import type { PlannedNodeClaim, Unplaced } from '../../core/scheduling/schedule.ts';

/** The output of `kerf plan provisioning --output json`. */
export interface ProvisioningOutput {
  readonly newNodeClaims: readonly ClaimOutput[];
  readonly existing: readonly { readonly node: string; readonly pods: readonly string[] }[];
  /** By `namespace/name`: first why existing nodes do not fit, if there are any, then one entry for each NodePool. */
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
  readonly cheapestOffering: OfferingOutput;
  readonly requests: ResourceList;
  /** The launch options sent to EC2: at most 60 types; types with special hardware only if the pods need it. */
  readonly launch: {
    readonly instanceTypes: readonly string[];
    readonly cheapestOffering?: OfferingOutput;
  };
}

export interface OfferingOutput {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
}

export interface PodError {
  readonly nodePool?: string;
  readonly reason: Reason;
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** The plan as JSON: the new claims with their launch options, and the reasons for unschedulable pods. */
export function provisioningOutput(
  { actions, schedule: { newClaims, existing, unplaced } }: ProvisioningVerdict,
  durationMs: number,
): ProvisioningOutput {
  const records = actions.flatMap((action) => (action.kind === 'create-node-claim' ? [action.nodeClaim] : []));
  return {
    newNodeClaims: newClaims.flatMap((claim, index) => {
      const record = records[index];
      return record === undefined ? [] : [claimOutput(claim, record)];
    }),
    existing: existing.map(({ stateNode, pods }) => ({ node: stateNode.name, pods: pods.map(podKey) })),
    podErrors: Object.fromEntries(unplaced.map((one) => [podKey(one.pod), podErrors(one)])),
    totalHourlyPrice: totalPrice(newClaims),
    durationMs: toMicros(durationMs),
  };
}

/** The sum of the prices, computed in billionths of a dollar to avoid rounding errors. */
export function totalPrice(claims: readonly PlannedNodeClaim[]): number {
  const sum = claims.reduce((total, { cheapest }) => total + Math.round(cheapest.offering.priceUsdPerHour * 1e9), 0);
  return Math.min(sum / 1e9, Number.MAX_VALUE);
}

/** Why a pod is unschedulable: first the existing nodes, then each NodePool. There is at least one reason. */
export function podErrors({ refusals, onNodes }: Unplaced): readonly PodError[] {
  const nodes = onNodes === undefined ? [] : [onNodes];
  if (refusals.length === 0) return [...nodes, NO_NODE_POOL];
  const pools = refusals.map(({ nodePool, refusal: { reason, message, numbers } }) => ({
    ...optional({ nodePool }),
    reason,
    message,
    numbers,
  }));
  return [...nodes, ...pools];
}

function claimOutput(claim: PlannedNodeClaim, { options }: NodeClaimRecord): ClaimOutput {
  const { type, offering } = claim.cheapest;
  const [cheapest] = options;
  return {
    nodePool: claim.template.nodePool.metadata.name,
    pods: claim.pods.map(podKey),
    requirements: requirementsOutput(claim.requirements),
    instanceTypes: claim.instanceTypes.map(({ name }) => name),
    cheapestOffering: offeringOutput({ ...offering, instanceType: type.name }),
    requests: formatResources(claim.requests),
    launch: {
      instanceTypes: [...new Set(options.map(({ instanceType }) => instanceType))],
      ...(cheapest === undefined ? {} : { cheapestOffering: offeringOutput(cheapest) }),
    },
  };
}

/** The requirements without the placeholder hostname of a new node. */
function requirementsOutput(requirements: Requirements): ClaimOutput['requirements'] {
  return Object.fromEntries(
    [...requirements.values()]
      .filter(({ key }) => key !== HOSTNAME)
      .toSorted((a, b) => compareText(a.key, b.key))
      .map((one) => [
        one.key,
        toNodeSelectorRequirements(one).map(({ operator, values = [], minValues }) => ({
          operator,
          values,
          ...optional({ minValues }),
        })),
      ]),
  );
}

function offeringOutput({ instanceType, zone, capacityType, priceUsdPerHour }: LaunchOption): OfferingOutput {
  return { type: instanceType, zone, capacityType, price: priceUsdPerHour };
}

function toMicros(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
