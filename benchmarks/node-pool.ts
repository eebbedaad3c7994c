import { CREATED } from './workload.ts';

export const POOL = 'default';
export const NODE_CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

/** One typical pool: current general-purpose types of both architectures, spot and on-demand, with a limit that is not reached. */
export const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: POOL, creationTimestamp: CREATED },
  spec: {
    template: {
      spec: {
        nodeClassRef: NODE_CLASS_REF,
        requirements: [
          { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['5'] },
          { key: 'karpenter.k8s.aws/instance-hypervisor', operator: 'In', values: ['nitro'] },
        ],
      },
    },
  },
};

/** Three families of the same CPU, with 2, 4 and 8 GiB for each vCPU. */
export const SEVENTH_GENERATION = {
  ...NODE_POOL,
  spec: {
    template: {
      spec: {
        nodeClassRef: NODE_CLASS_REF,
        requirements: [
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c7i', 'm7i', 'r7i'] },
        ],
      },
    },
  },
};
