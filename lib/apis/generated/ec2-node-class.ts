/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { KubeletConfiguration } from '../kubelet-configuration.ts';
import type { Condition, NodeSelectorRequirement, ObjectMeta } from '../kubernetes.ts';

/**
 * The settings for launching instances of a NodePool: subnets, security groups, AMIs, role and volumes.
 */
export interface EC2NodeClass {
  apiVersion: 'karpenter.k8s.aws/v1';
  kind: 'EC2NodeClass';
  metadata: ObjectMeta;
  spec: EC2NodeClassSpec;
  status?: EC2NodeClassStatus;
}
/**
 * The settings for launching instances.
 */
export interface EC2NodeClassSpec {
  /**
   * The AMIs for instances: all that match any of the terms. The newest compatible AMI is used.
   */
  amiSelectorTerms: AmiSelectorTerm[];
  /**
   * The AMI family, which determines user data and volumes. Default: the family of the alias. With Custom, the user data is used unchanged.
   */
  amiFamily?: 'AL2' | 'AL2023' | 'Bottlerocket' | 'Custom' | 'Windows2019' | 'Windows2022' | 'Windows2025';
  /**
   * The subnets for instances: all that match any of the terms.
   */
  subnetSelectorTerms: SubnetSelectorTerm[];
  /**
   * The security groups of instances: all that match any of the terms.
   */
  securityGroupSelectorTerms: SecurityGroupSelectorTerm[];
  /**
   * The capacity reservations for instances: all that match any of the terms. Default: none.
   */
  capacityReservationSelectorTerms?: CapacityReservationSelectorTerm[];
  placementGroupSelector?: PlacementGroupSelector;
  /**
   * The name of the IAM role of the nodes. Kerf creates an instance profile for it.
   */
  role?: string;
  /**
   * The name of an existing instance profile, instead of role.
   */
  instanceProfile?: string;
  /**
   * User data in the format of the AMI family. It is merged with the settings that join the node to the cluster.
   */
  userData?: string;
  /**
   * Tags of every instance and of the resources created with it. The default of the tag Name is the name of the node.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The configuration of the kubelet: any field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) except registerWithTaints. With an unknown field the class is not ready.
   */
  kubelet?: KubeletConfiguration;
  /**
   * The volumes of every instance. Default: those of the AMI family.
   */
  blockDeviceMappings?: BlockDeviceMapping[];
  /**
   * Whether instances get a public IPv4 address. Default: the setting of the subnet.
   */
  associatePublicIPAddress?: boolean;
  /**
   * The number of IP prefixes that the first network interface gets at launch. Default: none.
   */
  ipPrefixCount?: number;
  /**
   * The network interfaces of every instance. Default: one.
   */
  networkInterfaces?: NetworkInterface[];
  /**
   * How to use instance store disks. RAID0 combines them into one volume for the ephemeral storage of the node. Default: they are not used.
   */
  instanceStorePolicy?: 'RAID0';
  /**
   * Whether CloudWatch collects metrics every minute, at extra cost. Default: every five minutes.
   */
  detailedMonitoring?: boolean;
  metadataOptions: MetadataOptions;
  connectionTracking?: ConnectionTracking;
  cpuOptions?: CpuOptions;
  enclaveOptions?: EnclaveOptions;
  /**
   * Text that is passed to EC2 with each launch. Reserved by AWS.
   */
  context?: string;
}
export interface AmiSelectorTerm {
  /**
   * An AMI that AWS publishes for EKS, as family@version, such as al2023@latest or a fixed release. With latest, nodes are replaced after each new release.
   */
  alias?: string;
  /**
   * The tags that the AMI must have, all of them. The value * matches any value.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one AMI.
   */
  id?: string;
  /**
   * The name of the AMI, which differs from its tag Name. The wildcards * and ? are supported.
   */
  name?: string;
  /**
   * The owner of the AMI: an account id, self, amazon or aws-marketplace. Default: self and amazon.
   */
  owner?: string;
  /**
   * The name or ARN of an SSM parameter that contains the id of the AMI.
   */
  ssmParameter?: string;
}
export interface SubnetSelectorTerm {
  /**
   * The tags that the subnet must have, all of them. The value * matches any value.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one subnet.
   */
  id?: string;
}
export interface SecurityGroupSelectorTerm {
  /**
   * The tags that the security group must have, all of them. The value * matches any value.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one security group.
   */
  id?: string;
  /**
   * The name of the security group, which differs from its tag Name.
   */
  name?: string;
}
export interface CapacityReservationSelectorTerm {
  /**
   * The tags that the capacity reservation must have, all of them. The value * matches any value.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one capacity reservation.
   */
  id?: string;
  /**
   * The account that owns the reservation. Default: any account.
   */
  ownerID?: string;
  /**
   * Which launches can use the reservation: open for all that match it, targeted for those that specify it.
   */
  instanceMatchCriteria?: 'open' | 'targeted';
}
/**
 * The placement group of instances, by id or name. Default: none.
 */
export interface PlacementGroupSelector {
  /**
   * The id of the placement group.
   */
  id?: string;
  /**
   * The name of the placement group.
   */
  name?: string;
}
export interface BlockDeviceMapping {
  /**
   * The name of the device on the instance, such as /dev/xvda.
   */
  deviceName?: string;
  /**
   * Whether the kubelet stores its files on this volume. Its size is then the ephemeral storage of the node.
   */
  rootVolume?: boolean;
  ebs?: BlockDevice;
}
/**
 * The EBS volume of the device.
 */
export interface BlockDevice {
  /**
   * The size in Gi, G, Ti or T. Default: the size of the snapshot.
   */
  volumeSize?: string;
  /**
   * The type of the volume. Default: the default of EC2.
   */
  volumeType?: 'standard' | 'io1' | 'io2' | 'gp2' | 'sc1' | 'st1' | 'gp3';
  /**
   * I/O operations per second, for gp3, io1 and io2. Default: the baseline of the type.
   */
  iops?: number;
  /**
   * Throughput in MiB per second, for gp3. Default: the baseline of the type.
   */
  throughput?: number;
  /**
   * Whether the volume is encrypted. Default: the setting of the account.
   */
  encrypted?: boolean;
  /**
   * The KMS key of an encrypted volume, by id, alias or ARN. Default: the default key of the account.
   */
  kmsKeyID?: string;
  /**
   * Whether the volume is deleted with its instance. Default: the default of EC2.
   */
  deleteOnTermination?: boolean;
  /**
   * The snapshot that the volume is created from. Default: an empty volume.
   */
  snapshotID?: string;
  /**
   * The rate in MiB per second at which the snapshot is loaded. Default: data is loaded when it is read.
   */
  volumeInitializationRate?: number;
}
export interface NetworkInterface {
  /**
   * The network card that the interface is attached to, from 0.
   */
  networkCardIndex: number;
  /**
   * The index of the interface on its card, from 0.
   */
  deviceIndex: number;
  /**
   * An interface with IP addresses, or one only for EFA traffic.
   */
  interfaceType: 'interface' | 'efa-only';
}
/**
 * Access to the instance metadata from the node, including the credentials of its role.
 */
export interface MetadataOptions {
  /**
   * Whether the metadata endpoint is available over HTTP.
   */
  httpEndpoint: 'enabled' | 'disabled';
  /**
   * Whether the metadata endpoint is also available over IPv6.
   */
  httpProtocolIPv6: 'enabled' | 'disabled';
  /**
   * The maximum number of network hops of a response. With 1, pods without hostNetwork have no access.
   */
  httpPutResponseHopLimit: number;
  /**
   * Whether requests require a session token (IMDSv2).
   */
  httpTokens: 'required' | 'optional';
}
/**
 * Timeouts for idle connections that network interfaces track. Only supported by Nitro instance types. Default: the default of EC2.
 */
export interface ConnectionTracking {
  /**
   * Timeout of idle TCP connections in seconds, at most 5 days. Default: the default of the instance type.
   */
  tcpEstablishedTimeout?: number;
  /**
   * Timeout in seconds of idle UDP flows with more than one request and response. Default: 180.
   */
  udpStreamTimeout?: number;
  /**
   * Timeout in seconds of idle UDP flows in one direction or with one request and response. Default: 30.
   */
  udpTimeout?: number;
}
/**
 * Options of the processors.
 */
export interface CpuOptions {
  /**
   * Whether the instance can run virtual machines. With enabled, only instance types that support it are used. Default: disabled.
   */
  nestedVirtualization?: 'enabled' | 'disabled';
}
/**
 * AWS Nitro Enclaves. Default: disabled.
 */
export interface EnclaveOptions {
  /**
   * Whether enclaves are enabled. With true, only instance types that support them are used.
   */
  enabled: boolean;
}
/**
 * The AWS resources that the class selects, and its conditions.
 */
export interface EC2NodeClassStatus {
  /**
   * The selected subnets, ordered by free addresses, most first.
   */
  subnets?: ResolvedSubnet[];
  /**
   * The selected security groups.
   */
  securityGroups?: ResolvedSecurityGroup[];
  /**
   * The selected AMIs, newest first.
   */
  amis?: ResolvedAmi[];
  /**
   * The selected capacity reservations.
   */
  capacityReservations?: ResolvedCapacityReservation[];
  /**
   * The instance profile of instances.
   */
  instanceProfile?: string;
  /**
   * The conditions of this object. Ready summarizes them.
   */
  conditions?: Condition[];
}
export interface ResolvedSubnet {
  /**
   * The id of the subnet.
   */
  id: string;
  /**
   * The name of its zone, such as eu-west-1a.
   */
  zone: string;
  /**
   * The id of its zone, which is the same in every account.
   */
  zoneID?: string;
}
export interface ResolvedSecurityGroup {
  /**
   * The id of the security group.
   */
  id: string;
  /**
   * The name of the security group.
   */
  name?: string;
}
export interface ResolvedAmi {
  /**
   * The id of the AMI.
   */
  id: string;
  /**
   * The name of the AMI.
   */
  name?: string;
  /**
   * Whether its owner has deprecated the AMI.
   */
  deprecated?: boolean;
  /**
   * The requirements of the AMI on instance types.
   */
  requirements: NodeSelectorRequirement[];
}
export interface ResolvedCapacityReservation {
  /**
   * The id of the capacity reservation.
   */
  id: string;
  /**
   * The zone of the reserved capacity.
   */
  availabilityZone: string;
  /**
   * The instance type of the reserved capacity.
   */
  instanceType: string;
  /**
   * Which launches can use it.
   */
  instanceMatchCriteria: 'open' | 'targeted';
  /**
   * The account that owns it.
   */
  ownerID: string;
  /**
   * The end of the reservation; absent if it has no end.
   */
  endTime?: string;
  /**
   * Whether it is a capacity block.
   */
  reservationType: 'default' | 'capacity-block';
  /**
   * Whether the reservation is about to end. Only a capacity block can be expiring.
   */
  state: 'active' | 'expiring';
  /**
   * Whether its owner can reclaim the capacity.
   */
  interruptible?: boolean;
}
