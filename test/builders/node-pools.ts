import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import type { Labels, NodeSelectorRequirement, RequirementOperator, ResourceList } from '../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import type { NodePoolView } from '../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType } from '../../lib/core/model/instance-type.ts';
import { METADATA_DEFAULTS } from '../../lib/core/node-class/plain-node-class.ts';
import { someTypes } from './instance-types.ts';

type TemplateSpec = NodePool['spec']['template']['spec'];

export interface NodePoolOptions {
  readonly name?: string;
  readonly labels?: Labels;
  /** Of its nodes. */
  readonly annotations?: Labels;
  /** Of the NodePool itself. */
  readonly poolAnnotations?: Labels;
  readonly requirements?: TemplateSpec['requirements'];
  readonly taints?: TemplateSpec['taints'];
  readonly startupTaints?: TemplateSpec['startupTaints'];
  readonly expireAfter?: string;
  readonly terminationGracePeriod?: string;
  readonly disruption?: Partial<NodePool['spec']['disruption']>;
  readonly limits?: ResourceList;
  readonly weight?: number;
  readonly replicas?: number;
  readonly deletionTimestamp?: string;
}

/** A1.11 to A1.14: the defaults that the API server sets. */
const DEFAULT_DISRUPTION: NodePool['spec']['disruption'] = {
  consolidateAfter: '0s',
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  budgets: [{ nodes: '10%' }],
};

/** As many requirements, each on a label of its own. */
export function customRequirements(count: number): TemplateSpec['requirements'] {
  return Array.from({ length: count }, (_, at) => ({ key: `example.com/k${at}`, operator: 'Exists' }));
}

/** A pool named `general` without requirements and limits. */
export function aNodePool(options: NodePoolOptions = {}): NodePool {
  const { name = 'general', labels, annotations, requirements = [], disruption, limits, weight, replicas } = options;
  const {
    taints,
    startupTaints,
    expireAfter = '720h',
    terminationGracePeriod,
    deletionTimestamp,
    poolAnnotations,
  } = options;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(poolAnnotations === undefined ? {} : { annotations: poolAnnotations }),
    },
    spec: {
      template: {
        metadata: {
          ...(labels === undefined ? {} : { labels }),
          ...(annotations === undefined ? {} : { annotations }),
        },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements,
          ...(taints === undefined ? {} : { taints }),
          ...(startupTaints === undefined ? {} : { startupTaints }),
          expireAfter,
          ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
        },
      },
      disruption: { ...DEFAULT_DISRUPTION, ...disruption },
      ...(limits === undefined ? {} : { limits }),
      ...(weight === undefined ? {} : { weight }),
      ...(replicas === undefined ? {} : { replicas }),
    },
  };
}

export interface NodePoolViewOptions extends NodePoolOptions {
  readonly types?: readonly InstanceType[];
  readonly unusable?: NonNullable<NodePoolView['unusable']>;
}

/** The pool with the instance types m5.large, m5.xlarge and m5.2xlarge. */
export function aPoolView(options: NodePoolViewOptions = {}): NodePoolView {
  const { types = someTypes(), unusable, ...pool } = options;
  return {
    nodePool: aNodePool(pool),
    nodeClass: aNodeClass(),
    instanceTypes: types,
    ...(unusable === undefined ? {} : { unusable }),
  };
}

/** An EC2NodeClass named `default` for Amazon Linux 2023. */
export function aNodeClass(spec: Partial<EC2NodeClass['spec']> = {}): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { cluster: 'demo' } }],
      securityGroupSelectorTerms: [{ tags: { cluster: 'demo' } }],
      role: 'node',
      metadataOptions: METADATA_DEFAULTS,
      ...spec,
    },
  };
}

/** One requirement in the form of the API. */
export function asking(
  key: string,
  operator: RequirementOperator,
  ...values: readonly string[]
): NodeSelectorRequirement {
  return { key, operator, ...(values.length === 0 ? {} : { values }) };
}
