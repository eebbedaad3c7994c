import { podKey, type ResourceList } from '../../apis/kubernetes.ts';
import { HOSTNAME } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { compareText } from '../../core/compare-text.ts';
import type { LaunchOption, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { newNodeClaim } from '../../core/provisioning/new-node-claim.ts';
import { toNodeSelectorRequirements } from '../../core/requirements/requirement.ts';
import type { Requirements } from '../../core/requirements/requirements.ts';
import { formatResources } from '../../core/resources/resources.ts';
import type { PlannedNodeClaim } from '../../core/scheduling/schedule.ts';
import { totalUsd } from '../render/format-money.ts';

/** A planned NodeClaim in the JSON output of plans. */
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
  /** The NodeClaim as it would be created, without its name: its requirements are narrowed to the launch options (B38). */
  readonly nodeClaim: Pick<NodeClaimRecord, 'labels' | 'annotations' | 'spec'>;
}

interface OfferingOutput {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
}

/** The sum of the cheapest offerings. */
export function totalPrice(claims: readonly PlannedNodeClaim[]): number {
  return totalUsd(claims.map(({ cheapest }) => cheapest.offering.priceUsdPerHour));
}

export function claimOutput(claim: PlannedNodeClaim): ClaimOutput {
  const { type, offering } = claim.cheapest;
  const { labels, annotations, spec, options } = newNodeClaim(claim, 0, PLANNED);
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
    nodeClaim: { labels, annotations, spec },
  };
}

/** The labels, annotations and spec of a NodeClaim do not depend on it. */
const PLANNED = { cluster: 'plan', decisionId: 'plan', nowMs: 0 };

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
