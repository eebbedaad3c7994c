import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { AutoscalerTraces } from '../core/cluster/other-autoscalers.ts';
import type { AuthenticationMode } from '../core/install/access-entries.ts';
import type { FoundDefinition } from '../core/install/definitions.ts';
import type { ResolvedNodeClass } from '../core/model/resolved-node-class.ts';

/** An EKS cluster, as EKS describes it. */
export interface DescribedCluster {
  readonly name: string;
  /** `ACTIVE`, `CREATING`, `UPDATING`, `DELETING`, `FAILED`. */
  readonly status: string;
  /** `1.35`. */
  readonly kubernetesVersion: string;
  readonly authenticationMode: AuthenticationMode;
  readonly endpoint: {
    readonly isPublic: boolean;
    readonly isPrivate: boolean;
    /** The addresses that may call the public endpoint. */
    readonly publicCidrs: readonly string[];
  };
  readonly autoMode: boolean;
}

/** What a selector of an EC2NodeClass finds, or why it finds nothing. */
export type Selected = Pick<Partial<ResolvedNodeClass>, 'subnets' | 'securityGroups'> & {
  readonly problem?: string;
};

/** The concurrent executions of Lambda in the region of an account. */
export interface LambdaConcurrency {
  readonly limit: number;
  /** The part of the limit that no function reserves. */
  readonly unreserved: number;
}

/** Reads the AWS account of a cluster. *Errors:* PortError. */
export interface AccountReader {
  readonly region: string;
  describeCluster(): Promise<DescribedCluster>;
  subnets(nodeClass: EC2NodeClass): Promise<Selected>;
  securityGroups(nodeClass: EC2NodeClass): Promise<Selected>;
  hasRole(name: string): Promise<boolean>;
  hasInstanceProfile(name: string): Promise<boolean>;
  /** The vCPUs that quotas of EC2 allow, by their codes; without those that the region does not have. */
  vcpuQuotas(codes: readonly string[]): Promise<ReadonlyMap<string, number>>;
  lambdaConcurrency(): Promise<LambdaConcurrency>;
}

export interface ReadyReplicas {
  readonly replicas: number;
  readonly ready: number;
}

/** The API `metrics.k8s.io`, which metrics-server or another program serves. */
export interface MetricsApi {
  readonly isAvailable: boolean;
  /** Why it is not available, as the API server says. */
  readonly message: string;
}

/** Reads the cluster itself. *Errors:* PortError. */
export interface ClusterHealthReader {
  /** The version of the API server, such as `v1.35.4`. */
  serverVersion(): Promise<string>;
  findOtherAutoscalers(): Promise<AutoscalerTraces>;
  /** The Deployment `coredns` of kube-system; undefined if it does not exist. */
  coreDns(): Promise<ReadyReplicas | undefined>;
  /** *Shape:* undefined if no program is registered for it. */
  metricsApi(): Promise<MetricsApi | undefined>;
  findDefinition(name: string): Promise<FoundDefinition | undefined>;
  listNodePools(): Promise<readonly NodePool[]>;
  listNodeClasses(): Promise<readonly EC2NodeClass[]>;
}
