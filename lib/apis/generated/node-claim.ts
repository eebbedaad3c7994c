/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList, Taint } from '../kubernetes.ts';

/**
 * One instance that Kerf has asked for, from the decision until it is gone.
 */
export interface NodeClaim {
  apiVersion: 'karpenter.sh/v1';
  kind: 'NodeClaim';
  metadata: ObjectMeta;
  spec: {
    nodeClassRef: NodeClassReference;
    /**
     * What nodes must be like: instance types, zones, capacity types, architectures and labels of your own. All of them hold.
     */
    requirements: NodePoolRequirement[];
    /**
     * What the instance has to have room for.
     */
    resources?: {
      /**
       * Amounts by resource.
       */
      requests?: ResourceList;
    };
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
  status?: {
    /**
     * The node that the instance became.
     */
    nodeName?: string;
    /**
     * The instance: aws:///ZONE/INSTANCE.
     */
    providerID?: string;
    /**
     * The AMI that the instance runs.
     */
    imageID?: string;
    /**
     * What the instance has.
     */
    capacity?: ResourceList;
    /**
     * What of it is left for pods.
     */
    allocatable?: ResourceList;
    /**
     * What Kerf has found out about this object; Ready sums it up.
     */
    conditions?: Condition[];
    /**
     * When a pod came to the node or left it last.
     */
    lastPodEventTime?: string;
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
