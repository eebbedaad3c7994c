import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { ARCH } from '../../../apis/labels.ts';
import type { LaunchRequest, LaunchType, NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ResolvedImage, ResolvedNodeClass } from '../../model/resolved-node-class.ts';
import { planLaunch } from './launch.ts';

/** The name of the claim and pool in the tags of a dry run; CloudTrail shows it. */
const PLACEHOLDER_NAME = 'kerf-authorization-check';

/** The instance types of dry runs. Authorization does not depend on the type. */
const TRIAL_TYPES = { amd64: 'm5.large', arm64: 'm6g.large' } as const;

/**
 * The request for a dry run of a launch: one small instance with the first image in the first subnet, with the tags and
 * parameters of a real launch (A3.29). Undefined if the NodeClass has no subnet or image.
 */
export function trialRequest(
  cluster: string,
  nodeClass: EC2NodeClass,
  resolved: ResolvedNodeClass,
): LaunchRequest | undefined {
  const [subnet] = resolved.subnets;
  const [image] = resolved.images;
  if (subnet === undefined || image === undefined) return undefined;
  const type = typeFor(image);
  const option = { instanceType: type.name, zone: subnet.zone, capacityType: 'on-demand', priceUsdPerHour: 0 } as const;
  const record: NodeClaimRecord = {
    cluster,
    name: PLACEHOLDER_NAME,
    version: 1,
    decisionId: PLACEHOLDER_NAME,
    nodePool: PLACEHOLDER_NAME,
    labels: {},
    annotations: {},
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass.metadata.name },
      requirements: [],
      resources: { requests: {} },
      expireAfter: 'Never',
    },
    createdAtMs: 0,
    pods: [],
    options: [option],
    types: [type],
    holds: {},
    allocatable: {},
    launch: { kind: 'planned' },
  };
  const plan = planLaunch(record, { nodeClass, resolved, unavailable: [] });
  return plan.kind === 'launch' ? plan.request : undefined;
}

/** A type that meets the requirements of the image (C65). */
function typeFor({ requirements }: ResolvedImage): LaunchType {
  const imageLabels = Object.fromEntries(
    requirements.flatMap(({ key, operator, values = [] }) => {
      if (operator === 'DoesNotExist' || operator === 'NotIn') return [];
      return [[key, values[0] ?? '1'] as const];
    }),
  );
  const architecture = imageLabels[ARCH] === 'arm64' ? 'arm64' : 'amd64';
  return { name: TRIAL_TYPES[architecture], architecture, imageLabels, capacity: {}, allocatable: {} };
}
