import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { DEPENDENCIES_NOT_READY, holds, statusOf } from '../../model/conditions.ts';
import type { Reason } from '../../model/reasons.ts';
import type { ResolvedNodeClass } from '../../model/resolved-node-class.ts';
import type { NodeClassFinding } from './conditions.ts';
import { isSome } from './node-class-status.ts';
import { type Complaint, userDataWarning, whyNotJoining, whyNotValid } from './node-class-validation.ts';

/** A NodeClass, and the AWS resources that were found for it. */
export interface NodeClassView {
  readonly nodeClass: EC2NodeClass;
  /** The resources that its selectors find; absent fields were not found. */
  readonly found: Partial<ResolvedNodeClass>;
  readonly problems: readonly Complaint[];
  readonly instanceProfile:
    | { readonly kind: 'ready'; readonly name: string }
    | ({ readonly kind: 'not-ready' } & Complaint);
  /** A missing permission. @default all permissions for a launch exist, or were not checked yet */
  readonly refusal?: Complaint;
}

/** A3.28: a condition for each resource that a launch needs, in the order of C85; validation last. */
export function findings(view: NodeClassView): readonly NodeClassFinding[] {
  const needs = [
    ...NEEDS.filter(({ isAsked }) => isAsked(view.nodeClass)).map((need) => findingOf(need, view)),
    profile(view.instanceProfile),
  ];
  // A condition does not repeat the name of its object.
  const itself = `EC2NodeClass ${view.nodeClass.metadata.name}: `;
  return [...needs, validation(view, needs)].map((one) => ({
    ...one,
    message: one.message.startsWith(itself) ? one.message.slice(itself.length) : one.message,
  }));
}

interface Need {
  readonly type: NodeClassFinding['type'];
  readonly isAsked: (nodeClass: EC2NodeClass) => boolean;
  readonly isFound: (view: NodeClassView) => boolean;
  /** The reasons of problems that belong to this condition. */
  readonly reasons: readonly Reason[];
}

const NEEDS: readonly Need[] = [
  {
    type: 'AMIsReady',
    isAsked: () => true,
    isFound: ({ found }) => isSome(found.images),
    reasons: ['AMINotFound', 'UnsupportedKubernetesVersion'],
  },
  {
    type: 'CapacityReservationsReady',
    isAsked: () => true,
    // Reservations may expire at any time, so a class without a reservation can still launch.
    isFound: (view) => !isSome(view.nodeClass.spec.capacityReservationSelectorTerms) || wasResolved(view),
    reasons: [],
  },
  {
    type: 'SubnetsReady',
    isAsked: () => true,
    isFound: ({ found }) => isSome(found.subnets),
    reasons: ['SubnetsNotFound'],
  },
  {
    type: 'SecurityGroupsReady',
    isAsked: () => true,
    isFound: ({ found }) => isSome(found.securityGroups),
    reasons: ['SecurityGroupsNotFound'],
  },
  {
    type: 'PlacementGroupReady',
    isAsked: ({ spec }) => spec.placementGroupSelector !== undefined,
    isFound: ({ found }) => found.placementGroup !== undefined,
    reasons: ['PlacementGroupNotFound'],
  },
];

function wasResolved({ found, problems }: NodeClassView): boolean {
  return found.capacityReservations !== undefined || problems.every(({ reason }) => reason !== 'Refused');
}

/** False if the resource itself has a problem; Unknown if another problem prevented the lookup. */
function findingOf({ type, isFound, reasons }: Need, view: NodeClassView): NodeClassFinding {
  const { problems } = view;
  const own = problems.find(({ reason }) => reasons.includes(reason));
  if (own !== undefined) return { type, status: 'False', reason: own.reason, message: own.message };
  if (isFound(view)) return holds(type);
  const [other = { reason: 'AwaitingReconciliation' as const, message: `${type}: not checked yet` }] = problems;
  return { type, status: 'Unknown', reason: other.reason, message: other.message };
}

function profile(state: NodeClassView['instanceProfile']): NodeClassFinding {
  const type = 'InstanceProfileReady';
  if (state.kind === 'ready') return holds(type);
  // The profile may exist even if IAM does not allow reading it.
  const status = state.reason === 'IamNotReachable' || state.reason === 'Refused' ? 'Unknown' : 'False';
  return { type, status, reason: state.reason, message: state.message };
}

/** Reasons of problems in the class itself, not in the resources that it selects. */
const OF_THE_CLASS: readonly Reason[] = [
  'Unsupported',
  'KubeletExpressionInvalid',
  'KubeletExpressionEvaluationFailed',
];

/** A3.29: problems of the class itself come first, so they are reported even if resources are missing. */
function validation(view: NodeClassView, needs: readonly NodeClassFinding[]): NodeClassFinding {
  const type = 'ValidationSucceeded';
  const { nodeClass, found, problems, refusal } = view;
  const no = ({ reason, message }: Complaint): NodeClassFinding => ({ type, status: 'False', reason, message });
  const invalid = whyNotValid(nodeClass) ?? problems.find(({ reason }) => OF_THE_CLASS.includes(reason));
  if (invalid !== undefined) return no(invalid);
  const open = needs.filter(({ status }) => status !== 'True');
  if (open.length > 0) {
    const message = `waiting for ${open.map((one) => one.type).join(', ')}`;
    return { type, status: statusOf(open), reason: DEPENDENCIES_NOT_READY, message };
  }
  if (found.bootstrap === undefined) {
    const message = 'the parameters with which nodes join the cluster are unknown';
    return { type, status: 'Unknown', reason: 'ClusterCIDRResolutionFailed', message };
  }
  const complaint = whyNotJoining(nodeClass, found.bootstrap) ?? refusal;
  return complaint === undefined ? holds(type, userDataWarning(nodeClass, found.bootstrap)) : no(complaint);
}
