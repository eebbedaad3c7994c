import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { ARCH } from '../../../apis/labels.ts';
import type { LaunchRequest, LaunchType, NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ResolvedImage, ResolvedNodeClass } from '../../model/resolved-node-class.ts';
import { planLaunch } from './launch.ts';

/** The claim and the pool that a trial names in its tags: EC2 shows them in the log of what it refused. */
const NOBODY = 'kerf-authorization-check';

/** The types that a trial names: whether a launch is allowed says a small one as well as any. */
const TRIAL_TYPES = { amd64: 'm5.large', arm64: 'm6g.large' } as const;

/**
 * A launch of the NodeClass to be tried and not made: one small instance of its first image in its first subnet, with the
 * tags and the shape of a real one (A3.29). Undefined where no launch can be made of it anyway.
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
    name: NOBODY,
    version: 1,
    decisionId: NOBODY,
    nodePool: NOBODY,
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

/** A type that has whatever the image asks for (C65); its name matters to nobody, for nothing is launched. */
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
