/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList } from '../kubernetes.ts';

/**
 * Overrides the price of instance types, or adds extended resources to them.
 */
export interface NodeOverlay {
  apiVersion: 'karpenter.sh/v1alpha1';
  kind: 'NodeOverlay';
  metadata: ObjectMeta;
  spec: {
    /**
     * The instance types and NodePools that the overlay applies to. All requirements must be met.
     */
    requirements: NodeOverlayRequirement[];
    /**
     * The price in USD per hour, which replaces the price of EC2.
     */
    price?: string;
    /**
     * A change of the price: an amount in USD per hour or a percentage, with a sign.
     */
    priceAdjustment?: string;
    /**
     * Extended resources that are added to the capacity of the instance types.
     */
    capacity?: ResourceList;
    /**
     * The weight of the overlay. Where several overlays apply, the one with the highest weight is used. Default: 0.
     */
    weight?: number;
  };
  status?: {
    /**
     * The conditions of this object. Ready summarizes them.
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
   * The operator: In, NotIn, Exists, DoesNotExist, or Gt, Lt, Gte, Lte for numbers.
   */
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';
  /**
   * The values: a list for In and NotIn, one whole number for Gt, Lt, Gte and Lte, empty otherwise.
   */
  values?: string[];
}
