import { parseQuantityNano } from '../../apis/formats/quantity.ts';
import { INSTANCE_MEMORY } from '../../apis/labels.ts';
import type { KnownTypeIndex } from './values/type-index.ts';
import type { Unknown } from './values/zones.ts';

const MIB_PER_GIB = 1_024;
const NANO_PER_MIB = 1_000_000_000n * 2n ** 20n;
const UNIT = `is not the memory of an instance type: ${INSTANCE_MEMORY} is a number in MiB without a unit`;

/** Detects gibibytes or a unit in a label that is in mebibytes. Undefined for other values, which an unknown type may have. */
export function whyNoMemory(value: string, types: KnownTypeIndex): Unknown | undefined {
  if (types.hasValue(INSTANCE_MEMORY, value)) return undefined;
  const mib = mebibytes(value, types);
  return mib === undefined ? undefined : { message: UNIT, allowed: () => mib, meant: () => mib };
}

function mebibytes(value: string, types: KnownTypeIndex): string | undefined {
  if (/^\d{1,6}$/.test(value)) {
    const meant = String(Number(value) * MIB_PER_GIB);
    return types.hasValue(INSTANCE_MEMORY, meant) ? meant : undefined;
  }
  if (!/^\d+(?:\.\d+)?[KMGT]i?B?$/i.test(value)) return undefined;
  // Instance labels are in binary units, so 16G and 16GB mean the same.
  const nano = parseQuantityNano(value.replace(/i?B?$/i, '').toUpperCase() + 'i');
  return nano === undefined ? undefined : String(nano / NANO_PER_MIB);
}
