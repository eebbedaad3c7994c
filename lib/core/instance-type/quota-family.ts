import type { QuotaFamily } from '../../apis/scenario/scenario.ts';

const WHOLE: Readonly<Record<string, QuotaFamily>> = { inf: 'inf', trn: 'trn', dl: 'dl', hpc: 'hpc', vt: 'g', u: 'u' };
const BY_LETTER: Readonly<Record<string, QuotaFamily>> = { g: 'g', p: 'p', x: 'x', f: 'f' };

/** The group in which EC2 counts an instance type: `im4gn.large` and `m7g.large` are standard, `gr6.4xlarge` is in g. */
export function quotaFamilyOf(instanceType: string): QuotaFamily {
  const [letters = ''] = /^[a-z]+/.exec(instanceType) ?? [];
  return WHOLE[letters] ?? BY_LETTER[letters.charAt(0)] ?? 'standard';
}
