/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList, Taint } from '../kubernetes.ts';

/**
 * What nodes Kerf may launch for pods that do not fit, and when it may take them away again.
 */
export interface NodePool {
  apiVersion: 'karpenter.sh/v1';
  kind: 'NodePool';
  metadata: ObjectMeta;
  spec: {
    /**
     * The node that this pool makes.
     */
    template: {
      /**
       * Labels and annotations of every node of the pool.
       */
      metadata?: {
        /**
         * Labels of every NodeClaim and node; pods may select them.
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
       * What the nodes of this pool are like.
       */
      spec: {
        nodeClassRef: NodeClassReference;
        /**
         * What nodes must be like: instance types, zones, capacity types, architectures and labels of your own. All of them hold.
         */
        requirements: NodePoolRequirement[];
        /**
         * Taints of the nodes: only pods that tolerate them are counted on.
         */
        taints?: Taint[];
        /**
         * Taints that something else removes soon after a node has joined. Scheduling ignores them; a node is initialized once they are gone.
         */
        startupTaints?: Taint[];
        /**
         * How long a node may live before it is replaced, from its creation on; Never switches that off.
         */
        expireAfter: string;
        /**
         * How long a node may drain before its pods are deleted whatever protects them; without it, a node waits for them for ever.
         */
        terminationGracePeriod?: string;
      };
    };
    /**
     * When nodes of this pool may be removed or replaced, and how many at a time.
     */
    disruption: {
      /**
       * How long nothing must have changed on a node before it may be consolidated; Never switches consolidation off.
       */
      consolidateAfter: string;
      /**
       * Which nodes may be consolidated: the empty ones only, every one whose pods fit elsewhere or on something cheaper, or those where the saving outweighs the disturbance.
       */
      consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
      /**
       * How many nodes may be disrupted; where several are in force, the strictest counts.
       */
      budgets: DisruptionBudget[];
    };
    /**
     * The most that the nodes of the pool may add up to, by resource; `nodes` is their number.
     */
    limits?: ResourceList;
    /**
     * Pools with a higher weight are tried first; without one it is 0.
     */
    weight?: number;
    /**
     * A fixed number of nodes, kept whatever the pods ask for.
     */
    replicas?: number;
  };
  status?: {
    /**
     * What Kerf has found out about this object; Ready sums it up.
     */
    conditions?: Condition[];
    /**
     * How many nodes the pool has.
     */
    nodes: number;
    /**
     * What the nodes of the pool add up to.
     */
    resources?: ResourceList;
    /**
     * The generation of the NodeClass that was looked at last.
     */
    nodeClassObservedGeneration?: number;
  };
}
/**
 * The NodeClass that says how instances are launched.
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
   * The label of a node.
   */
  key: string;
  /**
   * How the label is compared: In, NotIn, Exists, DoesNotExist, or with a number by Gt, Lt, Gte, Lte.
   */
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';
  /**
   * What the label is compared with: a list for In and NotIn, one whole number for Gt, Lt, Gte and Lte, nothing otherwise.
   */
  values?: string[];
  /**
   * How many different values must stay possible when an instance is launched.
   */
  minValues?: number;
}
export interface DisruptionBudget {
  /**
   * How many of the nodes may be on their way out at one time: a count or a percentage, as text.
   */
  nodes: string;
  /**
   * The reasons that the budget counts for; without them, all.
   */
  reasons?: ('Underutilized' | 'Empty' | 'Drifted' | 'Unhealthy')[];
  /**
   * When the budget comes into force: five cron fields in UTC, or @hourly, @daily, @weekly, @monthly, @annually. Without it, always.
   */
  schedule?: string;
  /**
   * How long the budget stays in force each time, in hours and minutes.
   */
  duration?: string;
}
