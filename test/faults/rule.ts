import type { Node } from '../../lib/apis/kubernetes.ts';
import type { NodeClaim } from '../../lib/apis/node-claim.ts';
import type { HandWork } from '../../lib/apis/scenario/fault-kind.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { WebhookAnswer } from '../../lib/controllers/webhook.ts';
import type { Decision, PodTarget, UnavailableOffering } from '../../lib/core/model/decision.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { NodePatch, NodeTarget } from '../../lib/core/model/node-patch.ts';
import type { LaunchAdmission, LaunchOutcome } from '../../lib/ports/cloud-provider.ts';
import type { Lease } from '../../lib/ports/leases.ts';
import type { SimulatedInvocation } from '../../lib/simulator/aws/simulated-lambda.ts';
import type { Fault } from '../../lib/simulator/faults/fault.ts';
import type { PortCall } from '../../lib/simulator/faults.ts';
import type { ReportedFailure } from '../../lib/simulator/functions.ts';
import type { OpenSimulation } from '../../lib/simulator/simulation.ts';
import type { Story } from './story/story.ts';

export interface Violation {
  readonly rule: string;
  /** From the start of the simulation. */
  readonly atMs: number;
  readonly message: string;
}

/** The callbacks of a rule. Each but `sending` and `learned` is called when a call takes effect, not when a function sends it. */
export interface Rule {
  /** An invocation begins. */
  readonly began?: (invocation: SimulatedInvocation) => void;
  /** A function sends a call, which a fault may refuse before it has an effect. */
  readonly sending?: (call: PortCall) => void;
  readonly call?: (call: PortCall) => void;
  /** A call of the second deployment. */
  readonly secondCall?: (call: PortCall) => void;
  readonly admitted?: (admission: LaunchAdmission) => void;
  readonly launching?: (request: LaunchRequest) => void;
  readonly launched?: (request: LaunchRequest, outcome: LaunchOutcome) => void;
  /** The outcome as the function gets it: a fault may lose it, or replace it, after the launch. */
  readonly learned?: (outcome: LaunchOutcome, request: LaunchRequest) => void;
  /** The invocation reads or has written the node, or could not write it because it has changed. */
  readonly atNode?: (invocation: SimulatedInvocation, node: string, what: 'read' | 'written' | 'conflict') => void;
  /** The invocation could not read the record of the NodeClaim. */
  readonly recordUnread?: (invocation: SimulatedInvocation, nodeClaim: string) => void;
  /** A command that was not in the table any more was written again. */
  readonly commandRevived?: (id: string) => void;
  readonly terminating?: (cluster: string, instanceId: string) => void;
  readonly tagging?: (cluster: string, instanceId: string) => void;
  /** `before` is undefined for a new record. */
  readonly recordWritten?: (after: NodeClaimRecord, before: NodeClaimRecord | undefined) => void;
  /** A record was to be created, and one of this name existed. */
  readonly recordKept?: (asked: NodeClaimRecord, kept: NodeClaimRecord) => void;
  /** A replacement was created, and its command is stored as a proposal. */
  readonly createdForProposal?: (record: NodeClaimRecord) => void;
  /** A read did not return what was stored before it began. */
  readonly staleRead?: (method: string, name: string) => void;
  /** The marks of missing capacity after some were written, those that have ended included. */
  readonly marked?: (marks: readonly UnavailableOffering[]) => void;
  readonly leaseAcquired?: (lease: Lease) => void;
  readonly leaseRenewed?: (lease: Lease) => void;
  readonly leaseReleased?: (lease: Lease) => void;
  /** `epoch`: that of the snapshot of the decision. */
  readonly decisionRecorded?: (decision: Decision, epoch: number) => void;
  readonly decisionClosed?: (decision: Decision) => void;
  readonly published?: (decision: Decision) => void;
  readonly patchingNode?: (target: NodeTarget, patch: NodePatch) => void;
  /** `after` is undefined if the patch removed the last finalizer of a deleted node. */
  readonly nodePatched?: (before: Node, after: Node | undefined) => void;
  readonly deletingNode?: (name: string) => void;
  readonly evicting?: (pod: PodTarget) => void;
  readonly deletingPod?: (pod: PodTarget, graceSeconds: number) => void;
  readonly mirrorWritten?: (after: NodeClaim, before: NodeClaim | undefined) => void;
  readonly answered?: (answer: WebhookAnswer) => void;
  readonly failed?: (failure: ReportedFailure) => void;
  /** After each step of the timetable that changed something, and at least once in a second with a step. */
  readonly step?: () => void;
  /**
   * The table was replaced by a backup, or its items by those of another version. Called when it happens, and once more when
   * every record was read again.
   */
  readonly replaced?: () => void;
  /** What is not at rest yet, long after the last fault. */
  readonly unsettled?: () => readonly string[];
}

/** The observed state that rules share. */
export interface Watched {
  readonly story: Story;
  readonly simulation: () => OpenSimulation;
  readonly ports: () => ControllerPorts;
  /** From the start of the simulation. */
  readonly nowMs: () => number;
  readonly startMs: () => number;
  /** The stored records, released ones included. */
  readonly records: ReadonlyMap<string, NodeClaimRecord>;
  /** Decisions that are recorded and not closed, by id, with the time of the record. */
  readonly open: ReadonlyMap<string, { readonly decision: Decision; readonly sinceMs: number }>;
  /** The object of a fault of one object; undefined before it had an effect. */
  readonly objectOf: (fault: Fault) => string | undefined;
  readonly violate: (rule: string, message: string) => void;
}

export type RuleOf = (watched: Watched) => Rule;

/** Whether a user does one of these in the story. */
export function isByHand({ faults }: Pick<Story, 'faults'>, ...what: readonly HandWork[]): boolean {
  return faults.some((one) => one.kind === 'by-hand' && what.includes(one.what));
}
