import { formatTime } from '../../apis/formats/time.ts';
import type { Condition } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { sameContent } from '../canonical-json.ts';
import { compareText } from '../compare-text.ts';
import type { Reason } from './reasons.ts';

/**
 * Every condition that Kerf writes, with its meaning and what to do if it is not True. `npm run generate` writes docs/signals.md from
 * this table.
 */
export const CONDITIONS = {
  NodePool: {
    ValidationSucceeded: 'The NodePool is valid. If not: correct the field that the message names.',
    NodeClassReady: 'Its EC2NodeClass exists and is ready. If not: see the conditions of the EC2NodeClass.',
    NodeRegistrationHealthy:
      'Its instances become nodes. If not: find out why they do not register (NodeClaimStuck); pods get nodes of other NodePools first.',
    Ready: 'Nodes are launched with the NodePool. If not: see the other conditions.',
  },
  EC2NodeClass: {
    SubnetsReady: 'The subnets are found. If not: correct subnetSelectorTerms.',
    SecurityGroupsReady: 'The security groups are found. If not: correct securityGroupSelectorTerms.',
    AMIsReady: 'The images are found. If not: correct amiSelectorTerms.',
    InstanceProfileReady: 'The instance profile exists. If not: correct spec.role or spec.instanceProfile.',
    CapacityReservationsReady: 'The capacity reservations are read. If not: allow ec2:DescribeCapacityReservations.',
    PlacementGroupReady: 'The placement group is found. If not: correct placementGroupSelector.',
    ValidationSucceeded: 'The class is valid, and a launch with it is allowed. If not: do what the message says.',
    Ready: 'Nodes are launched with the class. If not: see the other conditions.',
  },
  NodeClaim: {
    Launched: 'It has an instance. If not: the message has the answer of EC2 (LaunchesFailing).',
    Registered: 'Its node has joined the cluster. If not: see NodeClaimStuck.',
    Initialized: 'Its node takes pods. If not: the message names what is missing (NodeClaimStuck).',
    Ready: 'It is launched, registered and initialized.',
    ConsistentStateFound: 'NodeClaim, node and instance are consistent. If not: the message names the difference.',
    Consolidatable: 'Its node may be consolidated.',
    Drifted: 'Its node no longer matches its NodePool or its EC2NodeClass, and is replaced within the budgets.',
    DisruptionReason: 'Why it is removed.',
    Drained:
      'No pods are left that the drain waits for. If not: the message may name a pod that is never evicted (DrainStuck). False: the deadline, or EC2, ended the instance before.',
    VolumesDetached:
      'The volumes of its pods are detached. If not: see the VolumeAttachments of the node (DrainStuck). False: the deadline, or EC2, ended the instance before.',
    InstanceTerminating: 'EC2 terminates the instance. If not: the message has the refusal of EC2 (DrainStuck).',
  },
  NodeOverlay: {
    ValidationSucceeded: 'The overlay is valid. If not: correct the field that the message names.',
    Ready: 'The overlay has an effect. If not: see ValidationSucceeded.',
  },
  CapacityBuffer: {
    ReadyForProvisioning: 'Its pod template is found. If not: correct its references.',
    Provisioning: 'Its capacity exists. If not: it is being launched, or the message says why it cannot be.',
  },
} as const;

export type ConditionOf<Kind extends keyof typeof CONDITIONS> = keyof (typeof CONDITIONS)[Kind];

type ConditionType = { [Kind in keyof typeof CONDITIONS]: ConditionOf<Kind> }[keyof typeof CONDITIONS];

/** A condition without its transition time and observed generation. */
export type ConditionFinding<Type extends ConditionType = ConditionType, Why extends string = string> =
  | { readonly type: Type; readonly status: 'True'; readonly reason: string; readonly message: string }
  | OpenFinding<Type, Why>;

/** A finding that is False or Unknown. */
export interface OpenFinding<Type extends ConditionType = ConditionType, Why extends string = string> {
  readonly type: Type;
  readonly status: Exclude<Condition['status'], 'True'>;
  readonly reason: Why;
  readonly message: string;
}

/** The longest message that the API server accepts. */
const MAX_MESSAGE_LENGTH = 32_768;

/** The reason of a finding that depends on another finding. Ready does not repeat it. */
export const DEPENDENCIES_NOT_READY = 'DependenciesNotReady' satisfies Reason;

/** A finding that is True. The API conventions require a reason, so the type is repeated there. */
export function holds<Type extends ConditionType>(type: Type, message = ''): ConditionFinding<Type, never> {
  return { type, status: 'True', reason: type, message };
}

/** The Ready condition: False if a finding is False, else Unknown if one is Unknown, else True. The first open finding gives the reason. */
export function readiness<Why extends string>(
  findings: readonly ConditionFinding<ConditionType, Why>[],
): ConditionFinding<'Ready', Why> {
  const open = findings.filter((one) => isOpen(one)).filter(({ reason }) => reason !== DEPENDENCIES_NOT_READY);
  const [first] = open;
  if (first === undefined) return holds('Ready');
  const message = open.map((one) => one.message).join('; ');
  return { type: 'Ready', status: statusOf(open), reason: first.reason, message };
}

function isOpen<Why extends string>(
  finding: ConditionFinding<ConditionType, Why>,
): finding is OpenFinding<ConditionType, Why> {
  return finding.status !== 'True';
}

/** The status of open findings together: False if one of them is False. */
export function statusOf(open: readonly ConditionFinding[]): OpenFinding['status'] {
  return open.some(({ status }) => status === 'False') ? 'False' : 'Unknown';
}

export interface ConditionsBefore {
  readonly conditions: readonly Condition[];
  readonly generation?: number | undefined;
  /** The condition types that Kerf owns. One without a finding is removed. @default the types of the findings */
  readonly ours?: readonly string[];
}

/**
 * The conditions to write. `lastTransitionTime` changes only together with the status. Conditions of other owners stay.
 */
export function conditionsFrom(
  findings: readonly ConditionFinding[],
  before: ConditionsBefore,
  nowMs: number,
): readonly Condition[] {
  const { conditions, generation, ours = findings.map(({ type }) => type) } = before;
  const others = conditions.filter(({ type }) => !ours.includes(type));
  const wanted = findings.map(({ type, status, reason, message }): Condition => {
    const former = conditions.find((one) => one.type === type);
    const since = former?.status === status ? former.lastTransitionTime : undefined;
    return {
      type,
      status,
      reason,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      lastTransitionTime: since ?? formatTime(nowMs),
      ...optional({ observedGeneration: generation }),
    };
  });
  const all = [...wanted, ...others];
  return isSame(conditions, all) ? conditions : all;
}

/** Compares conditions by type, because their order has no meaning. */
function isSame(a: readonly Condition[], b: readonly Condition[]): boolean {
  return sameContent(a.toSorted(byType), b.toSorted(byType));
}

function byType(a: Condition, b: Condition): number {
  return compareText(a.type, b.type);
}
