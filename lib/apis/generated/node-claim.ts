/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList, Taint } from '../kubernetes.ts';

/**
 * An instance that Kerf launches, from the decision to launch it until its termination.
 */
export interface NodeClaim {
  apiVersion: 'karpenter.sh/v1';
  kind: 'NodeClaim';
  metadata: ObjectMeta;
  spec: {
    nodeClassRef: NodeClassReference;
    /**
     * Requirements on nodes: instance types, zones, capacity types, architectures and custom labels. A node meets all of them.
     */
    requirements: NodePoolRequirement[];
    /**
     * The resources that the instance must provide.
     */
    resources?: {
      /**
       * Amounts by resource.
       */
      requests?: ResourceList;
    };
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
  status?: {
    /**
     * The name of the node.
     */
    nodeName?: string;
    /**
     * The provider id of the instance: aws:///ZONE/INSTANCE.
     */
    providerID?: string;
    /**
     * The AMI of the instance.
     */
    imageID?: string;
    /**
     * The capacity of the instance.
     */
    capacity?: ResourceList;
    /**
     * The part of the capacity that is available to pods.
     */
    allocatable?: ResourceList;
    /**
     * The conditions of this object. Ready summarizes them.
     */
    conditions?: Condition[];
    /**
     * The last time a pod was added to the node or removed from it.
     */
    lastPodEventTime?: string;
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
