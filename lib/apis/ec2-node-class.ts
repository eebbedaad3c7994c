import type { Condition, Labels, ObjectMeta } from './kubernetes.ts';

export interface SelectorTerm {
  readonly id?: string;
  readonly name?: string;
  readonly tags?: Labels;
}

export interface AmiSelectorTerm extends SelectorTerm {
  readonly alias?: string;
  readonly owner?: string;
  readonly ssmParameter?: string;
}

export type AmiFamily = 'AL2' | 'AL2023' | 'Bottlerocket' | 'Custom' | 'Windows2019' | 'Windows2022' | 'Windows2025';

export interface BlockDeviceMapping {
  readonly deviceName?: string;
  readonly rootVolume?: boolean;
  readonly ebs?: { readonly volumeSize?: string; readonly volumeType?: string; readonly [field: string]: unknown };
}

/** A3.23: how a node reaches its metadata. */
export interface MetadataOptions {
  readonly httpEndpoint?: 'enabled' | 'disabled';
  readonly httpProtocolIPv6?: 'enabled' | 'disabled';
  readonly httpPutResponseHopLimit?: number;
  readonly httpTokens?: 'required' | 'optional';
}

/** What the API server fills in (A3.23). */
export const METADATA_DEFAULTS: Required<MetadataOptions> = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
};

export interface EC2NodeClass {
  readonly apiVersion: 'karpenter.k8s.aws/v1';
  readonly kind: 'EC2NodeClass';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly amiSelectorTerms: readonly AmiSelectorTerm[];
    readonly subnetSelectorTerms: readonly SelectorTerm[];
    readonly securityGroupSelectorTerms: readonly SelectorTerm[];
    readonly amiFamily?: AmiFamily;
    readonly role?: string;
    readonly instanceProfile?: string;
    readonly userData?: string;
    readonly tags?: Labels;
    readonly kubelet?: {
      readonly maxPods?: number | string;
      readonly podsPerCore?: number;
      readonly kubeReserved?: Labels;
      readonly systemReserved?: Labels;
      readonly evictionHard?: Labels;
      readonly [field: string]: unknown;
    };
    readonly blockDeviceMappings?: readonly BlockDeviceMapping[];
    readonly instanceStorePolicy?: 'RAID0';
    readonly metadataOptions?: MetadataOptions;
  };
  readonly status?: {
    readonly subnets?: readonly { readonly id: string; readonly zone: string; readonly zoneID?: string }[];
    readonly securityGroups?: readonly { readonly id: string; readonly name?: string }[];
    readonly amis?: readonly { readonly id: string; readonly name?: string }[];
    readonly instanceProfile?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** The AMI family in force: the explicit one, else the one that the alias names (A3.7). */
export function amiFamilyOf(nodeClass: EC2NodeClass): AmiFamily {
  if (nodeClass.spec.amiFamily !== undefined) return nodeClass.spec.amiFamily;
  const alias = nodeClass.spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  return FAMILY_OF_ALIAS[alias?.split('@')[0] ?? ''] ?? 'Custom';
}

const FAMILY_OF_ALIAS: Readonly<Record<string, AmiFamily>> = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
};
