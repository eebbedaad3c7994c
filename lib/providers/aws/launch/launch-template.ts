import {
  type ConnectionTrackingSpecificationRequest,
  CreateLaunchTemplateCommand,
  type EC2Client,
  type LaunchTemplateBlockDeviceMappingRequest,
  type LaunchTemplateInstanceNetworkInterfaceSpecificationRequest,
  type MarketType,
  type RequestLaunchTemplateData,
  type VolumeType,
} from '@aws-sdk/client-ec2';
import type { BlockDeviceMapping } from '../../../apis/ec2-node-class.ts';
import { unitValue } from '../../../apis/formats/quantity.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { digest, fingerprint } from '../../../core/identity.ts';
import type {
  HeldReservation,
  LaunchInterface,
  LaunchRequest,
  LaunchTemplateSpec,
} from '../../../core/model/node-claim-record.ts';
import { ownershipTags } from '../../../core/model/ownership-tags.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError } from '../../../ports/errors.ts';
import { isTemplateTaken } from '../client/errors.ts';
import { tagSpecifications } from '../instances/tags.ts';

/** The prefix of the names of Kerf's templates. */
export const LAUNCH_TEMPLATE_PREFIX = 'kerf-';

export interface LaunchTemplate {
  /** Derived from the content, so equal content gives the same template in all functions. */
  readonly name: string;
  readonly data: RequestLaunchTemplateData;
  readonly tags: Labels;
}

const GIB = 1024 ** 3;
const VOLUME_TYPES: readonly VolumeType[] = ['gp2', 'gp3', 'io1', 'io2', 'sc1', 'st1', 'standard'];

/** C58. Images, and subnets of single interfaces, are set in the overrides of the fleet, so one template serves a whole request. */
export function launchTemplateOf(request: LaunchRequest, spec: LaunchTemplateSpec): LaunchTemplate {
  const { [NODE_CLAIM_TAG]: _own, ...shared } = request.tags;
  const tags = { ...shared, ...ownershipTags(request.cluster) };
  const data: RequestLaunchTemplateData = {
    IamInstanceProfile: { Name: spec.instanceProfile },
    UserData: Buffer.from(spec.userData).toString('base64'),
    BlockDeviceMappings: spec.blockDeviceMappings.map(deviceOf),
    MetadataOptions: metadataOf(spec),
    NetworkInterfaces: spec.networkInterfaces.map((one) => interfaceOf(one, spec)),
    ...hardwareOf(spec),
    ...reservationOf(spec),
    TagSpecifications: tagSpecifications(tagged(request), tags),
  };
  return { name: nameOf(request, data), data, tags };
}

/** EC2 refuses a token that comes again with other templates, so a request keeps the names of the version that froze it. */
function nameOf({ cluster, templateNames }: LaunchRequest, data: RequestLaunchTemplateData): string {
  const content = JSON.stringify([cluster, data]);
  return `${LAUNCH_TEMPLATE_PREFIX}${templateNames === 'sha-256' ? digest(content) : fingerprint(content)}`;
}

/** C49: the fleet tags instances and volumes; the template tags resources that the fleet cannot tag. */
function tagged({ capacityType }: LaunchRequest): readonly ('network-interface' | 'spot-instances-request')[] {
  return capacityType === 'spot' ? ['network-interface', 'spot-instances-request'] : ['network-interface'];
}

function metadataOf({ metadataOptions }: LaunchTemplateSpec): RequestLaunchTemplateData['MetadataOptions'] {
  return {
    HttpEndpoint: metadataOptions.httpEndpoint,
    HttpProtocolIpv6: metadataOptions.httpProtocolIPv6,
    HttpPutResponseHopLimit: metadataOptions.httpPutResponseHopLimit,
    HttpTokens: metadataOptions.httpTokens,
    // C58: tags may contain information that pods on the node must not read.
    InstanceMetadataTags: 'disabled',
  };
}

function hardwareOf(spec: LaunchTemplateSpec): RequestLaunchTemplateData {
  const { nestedVirtualization, placementGroup } = spec;
  const placement = {
    ...(spec.dedicated === true ? { Tenancy: 'dedicated' as const } : {}),
    ...optional({ GroupId: placementGroup?.id, PartitionNumber: placementGroup?.partition }),
  };
  return {
    ...(spec.detailedMonitoring === true ? { Monitoring: { Enabled: true } } : {}),
    ...(nestedVirtualization === undefined ? {} : { CpuOptions: { NestedVirtualization: nestedVirtualization } }),
    ...(spec.enclaves === true ? { EnclaveOptions: { Enabled: true } } : {}),
    ...(Object.keys(placement).length === 0 ? {} : { Placement: placement }),
  };
}

/** C60: an open reservation is not used unless the NodeClass selects it, or EC2 chooses. */
function reservationOf({ reservation, openReservations }: LaunchTemplateSpec): RequestLaunchTemplateData {
  if (reservation === undefined) {
    return openReservations ? {} : { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } };
  }
  const MarketType = MARKETS[reservation.kind];
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: reservation.id },
    },
    ...(MarketType === undefined ? {} : { InstanceMarketOptions: { MarketType } }),
  };
}

const MARKETS: Readonly<Record<HeldReservation['kind'], MarketType | undefined>> = {
  default: undefined,
  'capacity-block': 'capacity-block',
  interruptible: 'interruptible-capacity-reservation',
};

/** C59: interfaces are always explicit, so security groups are set in one place. */
function interfaceOf(
  one: LaunchInterface,
  { securityGroupIds, subnetId }: LaunchTemplateSpec,
): LaunchTemplateInstanceNetworkInterfaceSpecificationRequest {
  const { prefixes, publicAddress, connectionTracking: tracking } = one;
  return {
    NetworkCardIndex: one.networkCard,
    DeviceIndex: one.device,
    InterfaceType: one.kind,
    Groups: [...securityGroupIds],
    DeleteOnTermination: true,
    ...optional({ SubnetId: subnetId, AssociatePublicIpAddress: publicAddress }),
    ...(one.ipv6 === true ? { PrimaryIpv6: true, Ipv6AddressCount: 1 } : {}),
    ...optional({ [one.ipv6 === true ? 'Ipv6PrefixCount' : 'Ipv4PrefixCount']: prefixes }),
    ...(tracking === undefined ? {} : { ConnectionTrackingSpecification: trackingOf(tracking) }),
  };
}

function trackingOf(
  tracking: NonNullable<LaunchInterface['connectionTracking']>,
): ConnectionTrackingSpecificationRequest {
  return {
    TcpEstablishedTimeout: tracking.tcpEstablishedTimeout,
    UdpStreamTimeout: tracking.udpStreamTimeout,
    UdpTimeout: tracking.udpTimeout,
  };
}

/** Caches the templates that exist, so a warm function makes one call per template. */
export class LaunchTemplates {
  readonly #client: EC2Client;
  readonly #clock: Clock;
  /** When this process last used a template that exists. */
  readonly #usedAtMs = new Map<string, number>();
  readonly #making = new Map<string, Promise<void>>();

  constructor(client: EC2Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Concurrent launches share the call, because EC2 limits the creation of templates to a burst of fifty. */
  async ensure(template: LaunchTemplate): Promise<void> {
    const { name } = template;
    if (!this.#usedAtMs.has(name)) {
      const making = this.#making.get(name) ?? this.#create(template).finally(() => this.#making.delete(name));
      this.#making.set(name, making);
      await making;
    }
    this.#usedAtMs.set(name, this.#clock.now());
  }

  async #create({ name, data, tags }: LaunchTemplate): Promise<void> {
    const command = new CreateLaunchTemplateCommand({
      LaunchTemplateName: name,
      LaunchTemplateData: data,
      TagSpecifications: tagSpecifications(['launch-template'], tags),
    });
    try {
      await this.#client.send(command);
    } catch (thrown) {
      if (!isTemplateTaken(thrown)) throw thrown;
    }
  }

  /** When this process last used a template. EC2 does not report it. *Shape:* undefined if it did not, or a launch found it missing. */
  usedAtMs(name: string): number | undefined {
    return this.#usedAtMs.get(name);
  }

  /** C52: removes a deleted template from the cache. */
  forget(name: string): void {
    this.#usedAtMs.delete(name);
  }
}

function deviceOf({ deviceName, ebs }: BlockDeviceMapping): LaunchTemplateBlockDeviceMappingRequest {
  const device = { DeviceName: deviceName ?? '/dev/xvda' };
  if (ebs === undefined) return device;
  return {
    ...device,
    Ebs: {
      VolumeSize: ebs.volumeSize === undefined ? undefined : Math.ceil(unitValue(ebs.volumeSize) / GIB),
      VolumeType: volumeTypeOf(ebs.volumeType),
      Encrypted: flag(ebs['encrypted']),
      DeleteOnTermination: flag(ebs['deleteOnTermination']) ?? true,
      Iops: count(ebs['iops']),
      Throughput: count(ebs['throughput']),
      KmsKeyId: text(ebs['kmsKeyID']),
      SnapshotId: text(ebs['snapshotID']),
      VolumeInitializationRate: count(ebs['volumeInitializationRate']),
    },
  };
}

function volumeTypeOf(name: string | undefined): VolumeType | undefined {
  if (name === undefined) return undefined;
  const known = VOLUME_TYPES.find((each) => each === name);
  if (known !== undefined) return known;
  throw new RefusedError(`volumeType "${name}" is not one of ${VOLUME_TYPES.join(', ')}; correct the EC2NodeClass`);
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
