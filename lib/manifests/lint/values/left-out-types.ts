import { INSTANCE_CATEGORY, INSTANCE_FAMILY, INSTANCE_TYPE } from '../../../apis/labels.ts';

const PREFIX = 'karpenter.k8s.aws/';

/**
 * Families and types of EC2 that the bundled data leaves out (data/README.md): retired ones, macOS hosts, and some without
 * prices. They may be valid in a manifest.
 */
const FAMILIES =
  /^(?:cc[12]|cg1|cr1|dl1|f1|g2|g3s?|g4ad|hi1|hs1|p[23]|mac(?:\d|-).*|u-\d+tb1|u7i?n?[a-z]*-\d+tb|p6e?-[a-z]+\d+)$/;
const TYPES = new Set(['c6gn.metal', 'i3.metal']);

const VALUES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [INSTANCE_CATEGORY, new Set(['cc', 'cg', 'cr', 'hi', 'hs', 'mac'])],
  [`${PREFIX}instance-gpu-name`, new Set(['k80', 'k520', 'm60', 'radeon-pro-v520', 'gb200', 'gb300'])],
  [`${PREFIX}instance-accelerator-name`, new Set(['gaudi-hl-205', 'gaudi', 'virtex-ultrascale-(vu9p)'])],
  [`${PREFIX}instance-accelerator-manufacturer`, new Set(['habana', 'xilinx'])],
]);

/** True for a value that EC2 has but the bundled data leaves out. */
export function isLeftOut(key: string, value: string): boolean {
  if (key === INSTANCE_TYPE) return TYPES.has(value) || FAMILIES.test(value.split('.')[0] ?? '');
  if (key === INSTANCE_FAMILY) return FAMILIES.test(value);
  return VALUES.get(key)?.has(value) ?? false;
}
