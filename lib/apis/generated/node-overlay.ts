/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList } from '../kubernetes.ts';

/**
 * What is to be believed of some instance types instead of what EC2 says: another price, more resources.
 */
export interface NodeOverlay {
  apiVersion: 'karpenter.sh/v1alpha1';
  kind: 'NodeOverlay';
  metadata: ObjectMeta;
  spec: {
    /**
     * Which instance types and NodePools are meant. All of them hold.
     */
    requirements: NodeOverlayRequirement[];
    /**
     * The price in USD an hour that counts instead.
     */
    price?: string;
    /**
     * What is added to the price: an amount in USD an hour or a percentage, with its sign.
     */
    priceAdjustment?: string;
    /**
     * Extended resources that the instance types have beside what EC2 says.
     */
    capacity?: ResourceList;
    /**
     * Of overlays that touch the same thing, the one with the highest weight counts; without one it is 0.
     */
    weight?: number;
  };
  status?: {
    /**
     * What Kerf has found out about this object; Ready sums it up.
     */
    conditions?: Condition[];
  };
}
export interface NodeOverlayRequirement {
  /**
   * A label of the instance type, of the NodePool, or karpenter.sh/nodepool itself.
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
}
