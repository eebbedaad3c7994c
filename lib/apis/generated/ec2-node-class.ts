/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { KubeletConfiguration } from '../kubelet-configuration.ts';
import type { Condition, NodeSelectorRequirement, ObjectMeta } from '../kubernetes.ts';

/**
 * How the instances of a NodePool are launched: where, from which AMI, as whom and with which volumes.
 */
export interface EC2NodeClass {
  apiVersion: 'karpenter.k8s.aws/v1';
  kind: 'EC2NodeClass';
  metadata: ObjectMeta;
  spec: EC2NodeClassSpec;
  status?: EC2NodeClassStatus;
}
/**
 * How instances are launched.
 */
export interface EC2NodeClassSpec {
  /**
   * The AMIs that instances may be launched from: those that fit any of the terms, the newest first.
   */
  amiSelectorTerms: AmiSelectorTerm[];
  /**
   * Whose user data and volumes the instances get. Without it, that of the alias; Custom leaves the user data as you write it.
   */
  amiFamily?: 'AL2' | 'AL2023' | 'Bottlerocket' | 'Custom' | 'Windows2019' | 'Windows2022' | 'Windows2025';
  /**
   * The subnets that instances may be launched in: those that fit any of the terms.
   */
  subnetSelectorTerms: SubnetSelectorTerm[];
  /**
   * The security groups of the instances: all that fit any of the terms.
   */
  securityGroupSelectorTerms: SecurityGroupSelectorTerm[];
  /**
   * The capacity reservations that instances may be launched into: those that fit any of the terms. Without it, none.
   */
  capacityReservationSelectorTerms?: CapacityReservationSelectorTerm[];
  placementGroupSelector?: PlacementGroupSelector;
  /**
   * The name of the IAM role of the nodes, for which an instance profile is made.
   */
  role?: string;
  /**
   * An instance profile of your own, in place of role; it is used as it is.
   */
  instanceProfile?: string;
  /**
   * What an instance does when it starts, in the format of the AMI family, merged with what lets it join. Without it, only that.
   */
  userData?: string;
  /**
   * Tags of every instance and of what is made with it. Name is set from the node where it is not given.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * How the kubelet of every node is set up: any field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) but registerWithTaints. A field that the kubelet does not have makes the class not ready.
   */
  kubelet?: KubeletConfiguration;
  /**
   * The volumes of every instance. Without it, those that suit the AMI family.
   */
  blockDeviceMappings?: BlockDeviceMapping[];
  /**
   * Whether instances get a public IPv4 address; without it, as the subnet has it.
   */
  associatePublicIPAddress?: boolean;
  /**
   * How many prefixes of addresses the first network interface starts with; without it, none.
   */
  ipPrefixCount?: number;
  /**
   * The network interfaces of every instance. Without it, one.
   */
  networkInterfaces?: NetworkInterface[];
  /**
   * What becomes of the disks of the instance itself: RAID0 makes them one volume for the ephemeral storage of the node. Without it, they are left alone.
   */
  instanceStorePolicy?: 'RAID0';
  /**
   * Whether CloudWatch measures the instances every minute, at a price; without it, every five.
   */
  detailedMonitoring?: boolean;
  metadataOptions: MetadataOptions;
  connectionTracking?: ConnectionTracking;
  cpuOptions?: CpuOptions;
  enclaveOptions?: EnclaveOptions;
  /**
   * Text that is passed to EC2 with each launch; reserved by AWS.
   */
  context?: string;
}
export interface AmiSelectorTerm {
  /**
   * An AMI that AWS keeps for EKS, as family@version: al2023@latest, or a release to stay on. latest replaces nodes whenever AWS releases another.
   */
  alias?: string;
  /**
   * The tags of the AMI, all of them; the value * stands for any.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one AMI.
   */
  id?: string;
  /**
   * The name of the AMI itself, which is not its tag Name; * and ? stand for any text.
   */
  name?: string;
  /**
   * Whose AMI it is: an account id, self, amazon or aws-marketplace. Without it, your own and those of Amazon.
   */
  owner?: string;
  /**
   * The name or ARN of an SSM parameter that holds the id of the AMI.
   */
  ssmParameter?: string;
}
export interface SubnetSelectorTerm {
  /**
   * The tags of the subnet, all of them; the value * stands for any.
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
   * The tags of the security group, all of them; the value * stands for any.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one security group.
   */
  id?: string;
  /**
   * The name of the security group itself, which is not its tag Name.
   */
  name?: string;
}
export interface CapacityReservationSelectorTerm {
  /**
   * The tags of the capacity reservation, all of them; the value * stands for any.
   */
  tags?: {
    [k: string]: string;
  };
  /**
   * The id of one capacity reservation.
   */
  id?: string;
  /**
   * The account that the reservation belongs to; without it, any.
   */
  ownerID?: string;
  /**
   * Which launches the reservation takes: any that matches it, or only those that name it.
   */
  instanceMatchCriteria?: 'open' | 'targeted';
}
/**
 * The placement group that instances are launched in, by its id or its name. Without it, none.
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
   * What the instance calls the device, such as /dev/xvda.
   */
  deviceName?: string;
  /**
   * Whether the kubelet keeps its files there, so that its size is the ephemeral storage of the node.
   */
  rootVolume?: boolean;
  ebs?: BlockDevice;
}
/**
 * The EBS volume of the device.
 */
export interface BlockDevice {
  /**
   * The size in Gi, G, Ti or T; without it, that of the snapshot.
   */
  volumeSize?: string;
  /**
   * The type of the volume; without it, what EC2 takes.
   */
  volumeType?: 'standard' | 'io1' | 'io2' | 'gp2' | 'sc1' | 'st1' | 'gp3';
  /**
   * Operations a second, for gp3, io1 and io2; without it, what the type comes with.
   */
  iops?: number;
  /**
   * MiB a second, for gp3; without it, what the type comes with.
   */
  throughput?: number;
  /**
   * Whether the volume is encrypted; without it, as the account has set it.
   */
  encrypted?: boolean;
  /**
   * The KMS key of an encrypted volume, by id, alias or ARN; without it, the key of the account.
   */
  kmsKeyID?: string;
  /**
   * Whether the volume goes with its instance; without it, what EC2 does.
   */
  deleteOnTermination?: boolean;
  /**
   * The snapshot that the volume starts as; without it, it starts empty.
   */
  snapshotID?: string;
  /**
   * MiB a second at which the snapshot is loaded; without it, as it is read.
   */
  volumeInitializationRate?: number;
}
export interface NetworkInterface {
  /**
   * The network card that the interface is attached to, from 0.
   */
  networkCardIndex: number;
  /**
   * The place of the interface on its card, from 0.
   */
  deviceIndex: number;
  /**
   * An interface with addresses of its own, or one for EFA traffic only.
   */
  interfaceType: 'interface' | 'efa-only';
}
/**
 * How software on the node reaches the metadata of its instance, and with it the credentials of the role.
 */
export interface MetadataOptions {
  /**
   * Whether the metadata can be reached over HTTP.
   */
  httpEndpoint: 'enabled' | 'disabled';
  /**
   * Whether the metadata can be reached over IPv6 too.
   */
  httpProtocolIPv6: 'enabled' | 'disabled';
  /**
   * How many network hops an answer may take; 1 keeps pods without host network out.
   */
  httpPutResponseHopLimit: number;
  /**
   * Whether a request needs a session token (IMDSv2).
   */
  httpTokens: 'required' | 'optional';
}
/**
 * When the network interfaces forget idle connections; only instance types built on Nitro can be told. Without it, what EC2 does.
 */
export interface ConnectionTracking {
  /**
   * Seconds until an idle TCP connection is forgotten, up to 5 days; without it, what the instance type does.
   */
  tcpEstablishedTimeout?: number;
  /**
   * Seconds until an idle UDP flow with more than one exchange is forgotten; without it, 180.
   */
  udpStreamTimeout?: number;
  /**
   * Seconds until an idle UDP flow of one direction or one exchange is forgotten; without it, 30.
   */
  udpTimeout?: number;
}
/**
 * What the processors are told.
 */
export interface CpuOptions {
  /**
   * Whether the instance can run virtual machines itself: enabled leaves only instance types that can. Without it, disabled.
   */
  nestedVirtualization?: 'enabled' | 'disabled';
}
/**
 * AWS Nitro Enclaves on the instances. Without it, they are off.
 */
export interface EnclaveOptions {
  /**
   * Whether enclaves can be made: true leaves only instance types that can.
   */
  enabled: boolean;
}
/**
 * What the selectors have found.
 */
export interface EC2NodeClassStatus {
  /**
   * The subnets that the terms select, the one with the most free addresses first.
   */
  subnets?: ResolvedSubnet[];
  /**
   * The security groups that the terms select.
   */
  securityGroups?: ResolvedSecurityGroup[];
  /**
   * The AMIs that the terms select, the newest first.
   */
  amis?: ResolvedAmi[];
  /**
   * The capacity reservations that the terms select.
   */
  capacityReservations?: ResolvedCapacityReservation[];
  /**
   * The instance profile that instances are launched with.
   */
  instanceProfile?: string;
  /**
   * What Kerf has found out about this object; Ready sums it up.
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
   * What an instance type must be like to run it.
   */
  requirements: NodeSelectorRequirement[];
}
export interface ResolvedCapacityReservation {
  /**
   * The id of the capacity reservation.
   */
  id: string;
  /**
   * The zone that it holds capacity in.
   */
  availabilityZone: string;
  /**
   * The instance type that it holds.
   */
  instanceType: string;
  /**
   * Which launches it takes.
   */
  instanceMatchCriteria: 'open' | 'targeted';
  /**
   * The account that it belongs to.
   */
  ownerID: string;
  /**
   * When it ends; without it, not by itself.
   */
  endTime?: string;
  /**
   * Whether it is a capacity block.
   */
  reservationType: 'default' | 'capacity-block';
  /**
   * Whether it is about to end; only a capacity block is ever expiring.
   */
  state: 'active' | 'expiring';
  /**
   * Whether its owner may take the capacity back.
   */
  interruptible?: boolean;
}
