import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { DEPENDENCIES_NOT_READY, holds, statusOf } from '../conditions.ts';
import type { Reason } from '../model/reasons.ts';
import type { NodeClassFinding } from './conditions.ts';
import { isSome } from './node-class-status.ts';
import { type Complaint, userDataWarning, whyNotJoining, whyNotValid } from './node-class-validation.ts';
import type { ResolvedNodeClass } from './resolved-node-class.ts';

/** One NodeClass, and what AWS says of what it asks for. */
export interface NodeClassView {
  readonly nodeClass: EC2NodeClass;
  /** What its selectors find; what is not there was not found. */
  readonly found: Partial<ResolvedNodeClass>;
  readonly problems: readonly Complaint[];
  readonly instanceProfile:
    | { readonly kind: 'ready'; readonly name: string }
    | ({ readonly kind: 'not-ready' } & Complaint);
  /** What we may not do with it. @default all that a launch needs is allowed, or was not asked yet */
  readonly refusal?: Complaint;
}

/** A3.28: an answer for each thing that a launch needs, in the order of C85, validation last. */
export function findings(view: NodeClassView): readonly NodeClassFinding[] {
  const needs = [
    ...NEEDS.filter(({ isAsked }) => isAsked(view.nodeClass)).map((need) => findingOf(need, view)),
    profile(view.instanceProfile),
  ];
  // The object that says it need not name itself.
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
  /** The problems that say no to this very thing. */
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
    // Reservations come and go by themselves: that none is found is no reason to launch nothing.
    isFound: (view) => !isSome(view.nodeClass.spec.capacityReservationSelectorTerms) || wasLookedFor(view),
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

function wasLookedFor({ found, problems }: NodeClassView): boolean {
  return found.capacityReservations !== undefined || problems.every(({ reason }) => reason !== 'Refused');
}

/** No is an answer about the thing itself; where something else kept us from looking, the answer is not known. */
function findingOf({ type, isFound, reasons }: Need, view: NodeClassView): NodeClassFinding {
  const { problems } = view;
  const own = problems.find(({ reason }) => reasons.includes(reason));
  if (own !== undefined) return { type, status: 'False', reason: own.reason, message: own.message };
  if (isFound(view)) return holds(type);
  const [other = { reason: 'AwaitingReconciliation' as const, message: `${type}: not looked for yet` }] = problems;
  return { type, status: 'Unknown', reason: other.reason, message: other.message };
}

function profile(state: NodeClassView['instanceProfile']): NodeClassFinding {
  const type = 'InstanceProfileReady';
  if (state.kind === 'ready') return holds(type);
  // What IAM did not let us look at may well be there.
  const status = state.reason === 'IamNotReachable' || state.reason === 'Refused' ? 'Unknown' : 'False';
  return { type, status, reason: state.reason, message: state.message };
}

/** Problems that are of the class itself and not of what it selects. */
const OF_THE_CLASS: readonly Reason[] = [
  'Unsupported',
  'KubeletExpressionInvalid',
  'KubeletExpressionEvaluationFailed',
];

/** A3.29: first what can be said of the class by itself, so that it is told whatever else is missing. */
function validation(view: NodeClassView, needs: readonly NodeClassFinding[]): NodeClassFinding {
  const type = 'ValidationSucceeded';
  const { nodeClass, found, problems, refusal } = view;
  const no = ({ reason, message }: Complaint): NodeClassFinding => ({ type, status: 'False', reason, message });
  const invalid = whyNotValid(nodeClass) ?? problems.find(({ reason }) => OF_THE_CLASS.includes(reason));
  if (invalid !== undefined) return no(invalid);
  const open = needs.filter(({ status }) => status !== 'True');
  if (open.length > 0) {
    const message = `waits for ${open.map((one) => one.type).join(', ')}`;
    return { type, status: statusOf(open), reason: DEPENDENCIES_NOT_READY, message };
  }
  if (found.bootstrap === undefined) {
    const message = 'what nodes must know of their cluster is not known';
    return { type, status: 'Unknown', reason: 'ClusterCIDRResolutionFailed', message };
  }
  const complaint = whyNotJoining(nodeClass, found.bootstrap) ?? refusal;
  return complaint === undefined ? holds(type, userDataWarning(nodeClass, found.bootstrap)) : no(complaint);
}
