/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { Condition, ObjectMeta, ResourceList } from '../kubernetes.ts';

/**
 * Room that is kept free for pods that do not exist yet.
 */
export interface CapacityBuffer {
  apiVersion: 'autoscaling.x-k8s.io/v1beta1';
  kind: 'CapacityBuffer';
  metadata: ObjectMeta;
  spec: {
    /**
     * How the room is kept; Kerf knows buffer.x-k8s.io/active-capacity and leaves others alone.
     */
    provisioningStrategy: string;
    /**
     * The PodTemplate of this namespace that says how large one piece of the room is.
     */
    podTemplateRef?: {
      /**
       * The name of the PodTemplate.
       */
      name: string;
    };
    /**
     * The Deployment, StatefulSet or ReplicaSet of this namespace whose pods say how large one piece of the room is.
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
     * How many pieces there are to be.
     */
    replicas?: number;
    /**
     * How many pieces, as a percentage of the replicas that scalableRef has: rounded up, and at least one.
     */
    percentage?: number;
    /**
     * The most that all pieces may add up to, by resource.
     */
    limits?: ResourceList;
  };
  status?: {
    /**
     * The PodTemplate that is in use.
     */
    podTemplateRef?: {
      /**
       * The name of the PodTemplate.
       */
      name: string;
    };
    /**
     * How many pieces there are.
     */
    replicas?: number;
    /**
     * The generation of the PodTemplate that was looked at last.
     */
    podTemplateGeneration?: number;
    /**
     * How the room is kept.
     */
    provisioningStrategy?: string;
    /**
     * What Kerf has found out about this object; Ready sums it up.
     */
    conditions?: Condition[];
  };
}
