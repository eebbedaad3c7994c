import type { BlockDeviceMapping } from '../../apis/ec2-node-class.ts';
import { parseQuantityNano } from '../../apis/formats/quantity.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { grouped } from './values/words.ts';

type Volume = NonNullable<BlockDeviceMapping['ebs']>;
type VolumeType = NonNullable<Volume['volumeType']>;

interface Bounds {
  /** The allowed I/O operations per second; undefined where iops cannot be set. */
  readonly iops?: { readonly least: number; readonly most: number; readonly perGib: number };
  readonly sizeGib: { readonly least: number; readonly most: number };
}

const TIB = 1024;
/** The limits of EBS volume types, from its documentation (September 2025, with the larger gp3 volumes). */
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

/** Warns of volume settings that EC2 rejects at launch. *Shape:* paths from the mapping. */
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
    rejected(
      'encrypted',
      'is false, but kmsKeyID is set; EC2 rejects a key for an unencrypted volume',
      'true, or remove kmsKeyID',
    ),
  ];
}

/** Warns of device names that are used twice, which EC2 rejects. *Shape:* paths from the NodeClass. */
export function repeatedDevices(mappings: readonly BlockDeviceMapping[]): readonly FieldProblem[] {
  return mappings.flatMap(({ deviceName }, index) => {
    const first = mappings.findIndex((one) => one.deviceName === deviceName);
    if (deviceName === undefined || first === index) return [];
    const message = `is ${deviceName}, as in blockDeviceMappings[${first}], and EC2 rejects duplicate devices`;
    return [
      {
        path: ['spec', 'blockDeviceMappings', index, 'deviceName'],
        message,
        allowed: 'another device, such as /dev/xvdb',
      },
    ];
  });
}

function sizeAdvice(ebs: Volume, type: VolumeType, { sizeGib: { least, most } }: Bounds): readonly FieldProblem[] {
  const size = gibOf(ebs);
  if (size === undefined || (size >= least && size <= most)) return [];
  return [
    rejected(
      'volumeSize',
      `is ${ebs.volumeSize}, which is out of range for a ${type} volume`,
      `${least}Gi to ${most}Gi`,
    ),
  ];
}

function iopsAdvice(ebs: Volume, type: VolumeType, { iops: bounds }: Bounds): readonly FieldProblem[] {
  const { iops } = ebs;
  if (bounds === undefined) {
    const message = `is ${iops}, but EC2 rejects iops for ${type} volumes`;
    return iops === undefined ? [] : [rejected('iops', message, 'volumeType: gp3, or remove it')];
  }
  const { least, most, perGib } = bounds;
  if (iops === undefined) {
    if (type === 'gp3') return [];
    return [rejected('iops', `is missing, but EC2 requires it for ${type} volumes`, `${least} to ${most}`)];
  }
  if (iops < least || iops > most)
    return [rejected('iops', `is ${iops}, which is out of range for a ${type} volume`, `${least} to ${most}`)];
  const size = gibOf(ebs);
  if (size === undefined || iops <= size * perGib || (type === 'gp3' && iops === least)) return [];
  const message = `is ${iops}, but ${type} allows at most ${grouped(perGib)} per GiB, and the volume has ${ebs.volumeSize}`;
  return [rejected('iops', message, `at most ${Math.max(least, Math.floor(size * perGib))}, or a larger volumeSize`)];
}

function throughputAdvice(ebs: Volume, type: VolumeType): readonly FieldProblem[] {
  const { throughput, iops = GP3_IOPS } = ebs;
  if (throughput === undefined) return [];
  if (type !== 'gp3') {
    const message = `is ${throughput}, but EC2 rejects throughput for ${type} volumes`;
    return [rejected('throughput', message, 'volumeType: gp3, or remove it')];
  }
  const { least, most, iopsPerMib } = THROUGHPUT;
  if (throughput < least || throughput > most)
    return [
      rejected('throughput', `is ${throughput} MiB/s, which is out of range for a gp3 volume`, `${least} to ${most}`),
    ];
  if (throughput * iopsPerMib <= iops) return [];
  const message = `is ${throughput} MiB/s, but gp3 needs ${iopsPerMib} iops per MiB/s, and the volume has ${iops}`;
  return [
    rejected('throughput', message, `at most ${Math.floor(iops / iopsPerMib)}, or iops of ${throughput * iopsPerMib}`),
  ];
}

const NANO_PER_GIB = 1_000_000_000 * 2 ** 30;

function gibOf({ volumeSize }: Volume): number | undefined {
  const nano = volumeSize === undefined ? undefined : parseQuantityNano(volumeSize);
  return nano === undefined ? undefined : Number(nano) / NANO_PER_GIB;
}

function rejected(field: keyof Volume, message: string, allowed: string): FieldProblem {
  return { path: ['ebs', field], message, allowed };
}
