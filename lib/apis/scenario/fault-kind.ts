/** The faults of the fault tester, which a Scenario can name too. */
import type { CapacityType } from '../labels.ts';

/** The functions that a fault can affect. */
export type FaultFunction =
  | 'provisioning'
  | 'lifecycle'
  | 'disruption'
  | 'termination'
  | 'catalogue'
  | 'interruption'
  | 'webhook';

/** How a call fails. A number is the HTTP status of the API server. */
export type CallError = 403 | 409 | 410 | 429 | 500 | 'throttled' | 'timeout';

/**
 * A fault as plain data. *Shape:* `calls` are methods of ports: `store.listNodeClaims`, or `store.*` for all methods of a port.
 * `percent` is the share of the matching calls, messages or instances that the fault affects.
 */
export type FaultKind =
  /** Calls fail, before their effect or after it. */
  | {
      readonly kind: 'calls-fail';
      readonly calls: readonly string[];
      readonly error: CallError;
      readonly where: 'before' | 'after';
      readonly percent: number;
    }
  /** Calls do not return. */
  | { readonly kind: 'calls-hang'; readonly calls: readonly string[]; readonly percent: number }
  /** Calls take longer. */
  | {
      readonly kind: 'calls-slow';
      readonly calls: readonly string[];
      readonly upToMs: number;
      readonly percent: number;
    }
  /** The function ends at a call, before its effect or after it. */
  | {
      readonly kind: 'cut-off';
      readonly calls: readonly string[];
      readonly where: 'before' | 'after';
      readonly percent: number;
    }
  /**
   * The server refuses one method for one object: the nth object for which it is called. `unexpected`: the provider fails with an
   * error that is not one of its port, because the object is unlike all others.
   */
  | { readonly kind: 'object-refused'; readonly call: string; readonly nth: number; readonly unexpected?: true }
  /** Messages are delivered twice, late or not at all. An empty list of queues stands for all queues. */
  | {
      readonly kind: 'messages';
      readonly how: 'twice' | 'late' | 'lost';
      readonly queues: readonly string[];
      readonly upToMs: number;
      readonly percent: number;
    }
  /** The clocks of two invocations are apart by up to this time. An empty list of functions stands for all functions. */
  | { readonly kind: 'clocks'; readonly functions: readonly FaultFunction[]; readonly upToMs: number }
  /** The API server cannot call the webhook. */
  | { readonly kind: 'webhook-down' }
  /** EC2 does not list instances that are younger than this. */
  | { readonly kind: 'listed-late'; readonly lagMs: number }
  /**
   * EC2 launches an instance and its response is lost, or it refuses the call, or no longer accepts the client token. `partial`: a
   * fleet of several instances launches this share less. `not-admitted`: the calls that the account allows are used up.
   */
  | {
      readonly kind: 'odd-launches';
      readonly how: 'reply-lost' | 'rejected' | 'spent' | 'partial' | 'not-admitted';
      readonly percent: number;
    }
  /** Offerings without capacity. An absent list matches all values. */
  | {
      readonly kind: 'no-capacity';
      readonly instanceTypes?: readonly string[];
      readonly zones?: readonly string[];
      readonly capacityTypes?: readonly CapacityType[];
    }
  /** Instances whose node never registers, registers late, is Ready late, or loses its not-ready taint at another time. */
  | {
      readonly kind: 'machines';
      readonly how: 'never-join' | 'late-ready' | 'late-join' | 'late-taint' | 'early-taint';
      readonly percent: number;
      /** The additional time. @default the seed chooses one to ten minutes for each instance */
      readonly lateMs?: number;
      /** An absent list matches all values. */
      readonly instanceTypes?: readonly string[];
      readonly zones?: readonly string[];
    }
  /** EC2 interrupts spot instances at the same time. */
  | { readonly kind: 'spot-volley'; readonly percent: number }
  /** The status checks of instances fail. */
  | { readonly kind: 'impaired'; readonly count: number }
  /** A user changes or deletes something. `nth` chooses the object. */
  | { readonly kind: 'by-hand'; readonly what: HandWork; readonly nth: number }
  /** A user edits or deletes a NodePool. */
  | {
      readonly kind: 'node-pool';
      readonly nth: number;
      /** `replace`: deleted, and created again within a minute. `replicas`: a static NodePool gets another number of nodes. */
      readonly change: 'fewer' | 'more' | 'weight' | 'budget' | 'template' | 'delete' | 'replace' | 'replicas';
    }
  /** A user edits the tags of an EC2NodeClass. */
  | { readonly kind: 'node-class'; readonly nth: number }
  /** Pods end at the end of their grace period only. */
  | { readonly kind: 'slow-pods'; readonly percent: number }
  /** The volumes of ended pods stay attached to their nodes. */
  | { readonly kind: 'volumes-stay' }
  /** The kube-scheduler does not run. */
  | { readonly kind: 'scheduler-down' }
  /** The table is restored from a backup. */
  | { readonly kind: 'restore-table'; readonly agoMs: number }
  /** The version before wrote the items of the table, or the next version did. */
  | { readonly kind: 'other-version'; readonly as: 'older' | 'newer' }
  /** The nth record of a NodeClaim in the table cannot be read. */
  | { readonly kind: 'unreadable-record'; readonly nth: number }
  /** Reads of the table that are not strongly consistent lag. */
  | { readonly kind: 'stale-reads' }
  /** Each call of the table takes time, so that other functions write between the calls of one method. */
  | { readonly kind: 'table-steps'; readonly upToMs: number }
  /** Another deployment of Kerf is installed for the same cluster, which the first one holds. It lasts the whole run. */
  | { readonly kind: 'second-deployment' }
  /** Karpenter runs in the cluster. */
  | { readonly kind: 'other-autoscaler' };

export type HandWork =
  | 'delete-node'
  | 'remove-node'
  | 'delete-node-claim'
  | 'delete-pod'
  | 'terminate-instance'
  | 'remove-tags'
  | 'cordon-node'
  /** The annotation that keeps the node from disruption, for this time. */
  | 'keep-node'
  /** The Node object is removed, and its kubelet registers it again after this time. */
  | 'lose-node'
  | 'stop-kubelet'
  | 'hold-pods';
