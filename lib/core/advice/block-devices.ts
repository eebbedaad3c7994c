import type { BlockDeviceMapping } from '../../apis/ec2-node-class.ts';
import { parseQuantityNano } from '../../apis/quantity.ts';
import type { FieldProblem } from '../validation/field-problem.ts';
import { grouped } from './words.ts';

type Volume = NonNullable<BlockDeviceMapping['ebs']>;
type VolumeType = NonNullable<Volume['volumeType']>;

interface Bounds {
  /** Operations a second that may be asked for; undefined where none may. */
  readonly iops?: { readonly least: number; readonly most: number; readonly perGib: number };
  readonly sizeGib: { readonly least: number; readonly most: number };
}

const TIB = 1024;
/** What EBS makes, by its own tables (September 2025, with the larger gp3 volumes). */
const BOUNDS: Readonly<Record<VolumeType, Bounds>> = {
  gp3: { iops: { least: 3_000, most: 80_000, perGib: 500 }, sizeGib: { least: 1, most: 64 * TIB } },
  gp2: { sizeGib: { least: 1, most: 16 * TIB } },
  io1: { iops: { least: 100, most: 64_000, perGib: 50 }, sizeGib: { least: 4, most: 16 * TIB } },
  io2: { iops: { least: 100, most: 256_000, perGib: 1_000 }, sizeGib: { least: 4, most: 64 * TIB } },
  st1: { sizeGib: { least: 125, most: 16 * TIB } },
  sc1: { sizeGib: { least: 125, most: 16 * TIB } },
  standard: { sizeGib: { least: 1, most: TIB } },
};
const GP3_IOPS = 3_000;
const THROUGHPUT = { least: 125, most: 2_000, iopsPerMib: 4 } as const;

/** What EC2 refuses of a volume once it is to be made. *Shape:* paths from the mapping. */
export function blockDeviceAdvice({ ebs }: BlockDeviceMapping): readonly FieldProblem[] {
  if (ebs === undefined) return [];
  if (ebs.volumeType === undefined) return keyAdvice(ebs);
  const bounds = BOUNDS[ebs.volumeType];
  return [
    ...keyAdvice(ebs),
    ...sizeAdvice(ebs, ebs.volumeType, bounds),
    ...iopsAdvice(ebs, ebs.volumeType, bounds),
    ...throughputAdvice(ebs, ebs.volumeType),
  ];
}

function keyAdvice({ encrypted, kmsKeyID }: Volume): readonly FieldProblem[] {
  if (encrypted !== false || kmsKeyID === undefined) return [];
  return [
    refused(
      'encrypted',
      'is false beside a kmsKeyID, and EC2 refuses a key for a volume that is not encrypted',
      'true, or leave kmsKeyID out',
    ),
  ];
}

/** EC2 refuses an instance that has a device twice. *Shape:* paths from the NodeClass. */
export function repeatedDevices(mappings: readonly BlockDeviceMapping[]): readonly FieldProblem[] {
  return mappings.flatMap(({ deviceName }, index) => {
    const first = mappings.findIndex((one) => one.deviceName === deviceName);
    if (deviceName === undefined || first === index) return [];
    const message = `is ${deviceName}, like that of blockDeviceMappings[${first}], and EC2 refuses a device that is there twice`;
    return [
      { path: ['spec', 'blockDeviceMappings', index, 'deviceName'], message, allowed: 'another, such as /dev/xvdb' },
    ];
  });
}

function sizeAdvice(ebs: Volume, type: VolumeType, { sizeGib: { least, most } }: Bounds): readonly FieldProblem[] {
  const size = gibOf(ebs);
  if (size === undefined || (size >= least && size <= most)) return [];
  return [refused('volumeSize', `is ${ebs.volumeSize}, which no ${type} volume can have`, `${least}Gi to ${most}Gi`)];
}

function iopsAdvice(ebs: Volume, type: VolumeType, { iops: bounds }: Bounds): readonly FieldProblem[] {
  const { iops } = ebs;
  if (bounds === undefined) {
    const message = `is ${iops}, and EC2 refuses it for ${type} volumes`;
    return iops === undefined ? [] : [refused('iops', message, 'volumeType: gp3, or leave it out')];
  }
  const { least, most, perGib } = bounds;
  if (iops === undefined) {
    if (type === 'gp3') return [];
    return [refused('iops', `is missing, and EC2 makes no ${type} volume without it`, `${least} to ${most}`)];
  }
  if (iops < least || iops > most)
    return [refused('iops', `is ${iops}, which no ${type} volume can have`, `${least} to ${most}`)];
  const size = gibOf(ebs);
  if (size === undefined || iops <= size * perGib || (type === 'gp3' && iops === least)) return [];
  const message = `is ${iops}, and ${type} has at most ${grouped(perGib)} for each GiB of ${ebs.volumeSize}`;
  return [refused('iops', message, `at most ${Math.max(least, Math.floor(size * perGib))}, or a larger volumeSize`)];
}

function throughputAdvice(ebs: Volume, type: VolumeType): readonly FieldProblem[] {
  const { throughput, iops = GP3_IOPS } = ebs;
  if (throughput === undefined) return [];
  if (type !== 'gp3') {
    const message = `is ${throughput}, and EC2 refuses it for ${type} volumes`;
    return [refused('throughput', message, 'volumeType: gp3, or leave it out')];
  }
  const { least, most, iopsPerMib } = THROUGHPUT;
  if (throughput < least || throughput > most)
    return [refused('throughput', `is ${throughput} MiB/s, which no gp3 volume can have`, `${least} to ${most}`)];
  if (throughput * iopsPerMib <= iops) return [];
  const message = `is ${throughput} MiB/s, and gp3 needs ${iopsPerMib} iops for each of them: it has ${iops}`;
  return [
    refused('throughput', message, `at most ${Math.floor(iops / iopsPerMib)}, or iops of ${throughput * iopsPerMib}`),
  ];
}

const NANO_PER_GIB = 1_000_000_000 * 2 ** 30;

function gibOf({ volumeSize }: Volume): number | undefined {
  const nano = volumeSize === undefined ? undefined : parseQuantityNano(volumeSize);
  return nano === undefined ? undefined : Number(nano) / NANO_PER_GIB;
}

function refused(field: keyof Volume, message: string, allowed: string): FieldProblem {
  return { path: ['ebs', field], message, allowed };
}
