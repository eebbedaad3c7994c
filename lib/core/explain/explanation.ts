import type { Subject } from '../model/subject.ts';
import type { PodRefusal } from '../provisioning/pod-refusals.ts';

/** What happens to an object, in one word for programs. */
export type State =
  /** A pod: its containers have ended. */
  | 'Ended'
  /** A pod is deleted and ends. */
  | 'Terminating'
  /** A pod has a node, which stays. */
  | 'Bound'
  /** A pod has a node, which is being removed. */
  | 'Draining'
  /** A pod is pending, and Kerf waits for another component. */
  | 'NotPending'
  /** A pod is pending, and Kerf launches no node for pods of its kind. */
  | 'Ignored'
  /** A pod is pending and has a place on a node that exists or is being launched. */
  | 'HasPlace'
  /** A pod is pending, and a node would be launched for it. */
  | 'NeedsNode'
  /** A pod is pending and has no place. */
  | 'Unschedulable'
  /** A node of which Kerf has no NodeClaim. */
  | 'NotManaged'
  /** The instance of a NodeClaim is not launched yet. */
  | 'Launching'
  /** An instance runs, and its node is not initialized yet. */
  | 'Starting'
  /** A node stays. */
  | 'Stays'
  /** A node would be removed by a command that is not decided yet. */
  | 'WouldBeRemoved'
  /** A command that is in progress removes or replaces the node. */
  | 'BeingReplaced'
  /** The NodeClaim of a node is deleted. */
  | 'BeingRemoved';

/** Why an object is as it is. */
export interface Explanation {
  readonly subject: Subject;
  readonly state: State;
  /** One sentence without the name of the object. */
  readonly summary: string;
  /** Why, with numbers; those of a NodePool name it. */
  readonly reasons: readonly PodRefusal[];
  /** What the object is, as a name and a text, in the order in which they are shown. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}
