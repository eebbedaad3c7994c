import { isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import { parseQuantityNano } from '../../../apis/formats/quantity.ts';
import { VOLUME_SIZE_PATTERN } from '../../../apis/schemas/ec2-node-class-storage.ts';
import { sizeMeant } from '../../explain/common-mistakes.ts';
import { find, mapAt, mapsIn, setText } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

const CURRENT = new RegExp(VOLUME_SIZE_PATTERN);

interface Unit {
  readonly name: 'Gi' | 'G';
  readonly nano: bigint;
  readonly most: bigint;
}

const GI: Unit = { name: 'Gi', nano: 1_000_000_000n << 30n, most: 59_000n };
const G: Unit = { name: 'G', nano: 10n ** 18n, most: 64_000n };

/** Before v1 a volume size was any quantity, and was rounded up for EC2. */
export function convertVolumeSizes(subject: ConversionSubject, spec: YAMLMap): void {
  for (const mapping of mapsIn(spec, 'blockDeviceMappings')) {
    const ebs = mapAt(mapping, 'ebs');
    const size = isMap(ebs) ? find(ebs, 'volumeSize') : undefined;
    if (size !== undefined) convertSize(subject, size);
  }
}

function convertSize(subject: ConversionSubject, size: Pair): void {
  const given: unknown = isScalar(size.value) ? size.value.value : undefined;
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'bigint') return;
  if (CURRENT.test(String(given))) return;
  if (/^\d{1,5}$/.test(String(given))) {
    // A number without a unit is a number of bytes, and EC2 rejects so few: GiB were meant.
    const meant = sizeMeant(String(given)) ?? '20Gi';
    subject.warn(size, `${given} has no unit, so it means bytes, and is not converted`, `write ${meant}`);
    return;
  }
  const nano = parseQuantityNano(String(given));
  if (nano === undefined || nano <= 0n) return;
  const unit = roundUp(nano, GI) <= GI.most ? GI : G;
  const amount = roundUp(nano, unit);
  // Larger sizes were rejected before v1 too.
  if (amount > unit.most) return;
  const today = `${amount}${unit.name}`;
  setText(size, today);
  subject.warn(
    size,
    `${given} became ${today}: v1 allows only whole sizes in Gi, G, Ti or T, and not every size in Ti`,
    `write ${today}`,
  );
}

function roundUp(nano: bigint, unit: Unit): bigint {
  return (nano + unit.nano - 1n) / unit.nano;
}
