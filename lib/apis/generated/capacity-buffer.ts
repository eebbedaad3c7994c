/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList } from '../kubernetes.ts';

/**
 * Spare capacity for pods that do not exist yet.
 */
export interface CapacityBuffer {
  apiVersion: 'autoscaling.x-k8s.io/v1beta1';
  kind: 'CapacityBuffer';
  metadata: ObjectMeta;
  spec: {
    /**
     * The strategy of the buffer. Kerf supports buffer.x-k8s.io/active-capacity and ignores buffers with other strategies.
     */
    provisioningStrategy: string;
    /**
     * The PodTemplate in this namespace that defines the size of one unit of spare capacity.
     */
    podTemplateRef?: {
      /**
       * The name of the PodTemplate.
       */
      name: string;
    };
    /**
     * The Deployment, StatefulSet or ReplicaSet in this namespace whose pods define the size of one unit of spare capacity.
     */
    scalableRef?: {
      /**
       * Its API group: apps.
       */
      apiGroup?: string;
      /**
       * Its kind.
       */
      kind: string;
      /**
       * Its name.
       */
      name: string;
    };
    /**
     * The number of units.
     */
    replicas?: number;
    /**
     * The number of units as a percentage of the replicas of scalableRef: rounded up, and at least one.
     */
    percentage?: number;
    /**
     * The maximum total of all units, by resource.
     */
    limits?: ResourceList;
  };
  status?: {
    /**
     * The PodTemplate in use.
     */
    podTemplateRef?: {
      /**
       * The name of the PodTemplate.
       */
      name: string;
    };
    /**
     * The current number of units.
     */
    replicas?: number;
    /**
     * The generation of the PodTemplate that was last observed.
     */
    podTemplateGeneration?: number;
    /**
     * The strategy of the buffer.
     */
    provisioningStrategy?: string;
    /**
     * The conditions of this object. Ready summarizes them.
     */
    conditions?: Condition[];
  };
}
