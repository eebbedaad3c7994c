import { counted } from '../../apis/counted.ts';

/** Formats an amount for messages: `7.91` cpu, `3.63Gi` memory, `29` pods. The amount is rounded: do not calculate with it. */
export function amountInWords(name: string, amount: number, decimals = 2): string {
  if (name === 'cpu') return rounded(amount / 1_000, decimals);
  if (name !== 'memory' && name !== 'ephemeral-storage') return String(amount);
  const [unit, size] = BINARY_UNITS.find(([, least]) => Math.abs(amount) >= least) ?? ['', 1];
  return `${rounded(amount / size, decimals)}${unit}`;
}

/** Formats two amounts, with enough decimals to show that they differ. */
export function amountsInWords(name: string, one: number, other: number): readonly [string, string] {
  for (const decimals of [2, 3, 6]) {
    const words = [amountInWords(name, one, decimals), amountInWords(name, other, decimals)] as const;
    if (words[0] !== words[1]) return words;
  }
  return [String(one), String(other)];
}

const BINARY_UNITS: readonly (readonly [string, number])[] = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'].map(
  (unit, at) => [unit, 1_024 ** (6 - at)] as const,
);

/** An amount below the last decimal keeps its first significant digit. */
function rounded(amount: number, decimals: number): string {
  const small = amount !== 0 && Math.abs(amount) < 10 ** -decimals;
  return String(small ? Number(amount.toPrecision(1)) : Math.round(amount * 10 ** decimals) / 10 ** decimals);
}

export function typesInWords(count: number): string {
  return counted(count, 'instance type');
}
