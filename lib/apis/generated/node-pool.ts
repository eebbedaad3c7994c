/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList, Taint } from '../kubernetes.ts';

/**
 * Defines the nodes that Kerf launches for unschedulable pods, and when it removes them.
 */
export interface NodePool {
  apiVersion: 'karpenter.sh/v1';
  kind: 'NodePool';
  metadata: ObjectMeta;
  spec: {
    /**
     * The template of the nodes of this pool.
     */
    template: {
      /**
       * Labels and annotations of every node of the pool.
       */
      metadata?: {
        /**
         * Labels of every NodeClaim and node, which pods can select.
         */
        labels?: {
          [k: string]: string;
        };
        /**
         * Annotations of every NodeClaim and node.
         */
        annotations?: {
          [k: string]: string;
        };
      };
      /**
       * The specification of the nodes of this pool.
       */
      spec: {
        nodeClassRef: NodeClassReference;
        /**
         * Requirements on nodes: instance types, zones, capacity types, architectures and custom labels. A node meets all of them.
         */
        requirements: NodePoolRequirement[];
        /**
         * Taints of the nodes. Only pods that tolerate them are scheduled to the nodes.
         */
        taints?: Taint[];
        /**
         * Taints that another component removes after a node has joined. Scheduling ignores them. A node is initialized once they are removed.
         */
        startupTaints?: Taint[];
        /**
         * The maximum lifetime of a node, after which it is replaced. Never disables expiry.
         */
        expireAfter: string;
        /**
         * The maximum time for draining a node, after which its remaining pods are deleted regardless of disruption budgets. Default: no limit.
         */
        terminationGracePeriod?: string;
      };
    };
    /**
     * When nodes of this pool may be removed or replaced, and how many at the same time.
     */
    disruption: {
      /**
       * How long a node must be unchanged before it may be consolidated. Never disables consolidation.
       */
      consolidateAfter: string;
      /**
       * Which nodes may be consolidated: only empty nodes, all nodes whose pods fit on other or cheaper nodes, or those where the savings outweigh the disruption.
       */
      consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
      /**
       * Limits on the number of nodes that may be disrupted. The strictest budget in effect applies.
       */
      budgets: DisruptionBudget[];
    };
    /**
     * The maximum total of all nodes of the pool, by resource; `nodes` is their number.
     */
    limits?: ResourceList;
    /**
     * Pools with a higher weight are tried first. Default: 0.
     */
    weight?: number;
    /**
     * A fixed number of nodes, regardless of pods.
     */
    replicas?: number;
  };
  status?: {
    /**
     * The conditions of this object. Ready summarizes them.
     */
    conditions?: Condition[];
    /**
     * The number of nodes of the pool.
     */
    nodes: number;
    /**
     * The total resources of the nodes of the pool.
     */
    resources?: ResourceList;
    /**
     * The generation of the NodeClass that was last observed.
     */
    nodeClassObservedGeneration?: number;
  };
}
/**
 * The NodeClass with the settings for launching instances.
 */
export interface NodeClassReference {
  /**
   * The API group of the NodeClass, without a version: karpenter.k8s.aws.
   */
  group: string;
  /**
   * The kind of the NodeClass: EC2NodeClass.
   */
  kind: string;
  /**
   * The name of the NodeClass.
   */
  name: string;
}
export interface NodePoolRequirement {
  /**
   * The label key.
   */
  key: string;
  /**
   * The operator: In, NotIn, Exists, DoesNotExist, or Gt, Lt, Gte, Lte for numbers.
   */
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';
  /**
   * The values: a list for In and NotIn, one whole number for Gt, Lt, Gte and Lte, empty otherwise.
   */
  values?: string[];
  /**
   * The minimum number of different values among the instance types of a launch.
   */
  minValues?: number;
}
export interface DisruptionBudget {
  /**
   * The maximum number of nodes that may be disrupted at the same time: a count or a percentage.
   */
  nodes: string;
  /**
   * The disruption reasons that the budget applies to. Default: all.
   */
  reasons?: ('Underutilized' | 'Empty' | 'Drifted' | 'Unhealthy')[];
  /**
   * When the budget takes effect: five cron fields in UTC, or @hourly, @daily, @weekly, @monthly, @annually. Default: always.
   */
  schedule?: string;
  /**
   * How long the budget is in effect after each time of the schedule, in hours and minutes.
   */
  duration?: string;
}
