import {
  CreateLaunchTemplateCommand,
  type EC2Client,
  type LaunchTemplateBlockDeviceMappingRequest,
  type RequestLaunchTemplateData,
  type VolumeType,
} from '@aws-sdk/client-ec2';
import type { BlockDeviceMapping } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG } from '../../apis/labels.ts';
import { unitValue } from '../../apis/quantity.ts';
import { fingerprint } from '../../core/identity.ts';
import { ownershipTags } from '../../core/node-claim/ownership-tags.ts';
import type { LaunchRequest, LaunchTemplateSpec } from '../../core/node-claim/record.ts';
import { RefusedError } from '../../ports/errors.ts';
import { isTemplateTaken } from './errors.ts';
import { ec2Tags } from './tags.ts';

export interface LaunchTemplate {
  /** Made of the content, so that the same content is the same template, whoever creates it. */
  readonly name: string;
  readonly data: RequestLaunchTemplateData;
  readonly tags: Labels;
}

const GIB = 1024 ** 3;
const VOLUME_TYPES: readonly VolumeType[] = ['gp2', 'gp3', 'io1', 'io2', 'sc1', 'st1', 'standard'];

/** C58. Images and subnets are left to the fleet's overrides, so that one template serves a whole request. */
export function launchTemplateOf(request: LaunchRequest, spec: LaunchTemplateSpec): LaunchTemplate {
  const { [NODE_CLAIM_TAG]: _own, ...shared } = request.tags;
  const tags = { ...shared, ...ownershipTags(request.cluster) };
  const metadata = spec.metadataOptions;
  const data: RequestLaunchTemplateData = {
    IamInstanceProfile: { Name: spec.instanceProfile },
    SecurityGroupIds: [...spec.securityGroupIds],
    UserData: Buffer.from(spec.userData).toString('base64'),
    BlockDeviceMappings: spec.blockDeviceMappings.map(deviceOf),
    MetadataOptions: {
      HttpEndpoint: metadata.httpEndpoint,
      HttpProtocolIpv6: metadata.httpProtocolIPv6,
      HttpPutResponseHopLimit: metadata.httpPutResponseHopLimit,
      HttpTokens: metadata.httpTokens,
      // C58: tags may name what pods of the node should not know.
      InstanceMetadataTags: 'disabled',
    },
    // C49: the fleet tags instances and volumes, the template what the fleet cannot.
    TagSpecifications: [{ ResourceType: 'network-interface', Tags: ec2Tags(tags) }],
  };
  return { name: `kerf-${fingerprint(JSON.stringify([request.cluster, data]))}`, data, tags };
}

/** The templates that this process has seen to exist: one call per template and warm function. */
export class LaunchTemplates {
  readonly #client: EC2Client;
  readonly #known = new Set<string>();

  constructor(client: EC2Client) {
    this.#client = client;
  }

  async ensure({ name, data, tags }: LaunchTemplate): Promise<void> {
    if (this.#known.has(name)) return;
    const command = new CreateLaunchTemplateCommand({
      LaunchTemplateName: name,
      LaunchTemplateData: data,
      TagSpecifications: [{ ResourceType: 'launch-template', Tags: ec2Tags(tags) }],
    });
    try {
      await this.#client.send(command);
    } catch (thrown) {
      if (!isTemplateTaken(thrown)) throw thrown;
    }
    this.#known.add(name);
  }

  /** C52: somebody deleted it. */
  forget(name: string): void {
    this.#known.delete(name);
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
  throw new RefusedError(`volumeType "${name}" is none of ${VOLUME_TYPES.join(', ')}: correct the EC2NodeClass`);
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
