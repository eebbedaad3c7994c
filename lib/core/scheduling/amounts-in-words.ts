import { counted } from '../../apis/counted.ts';

/** An amount as a person says it: `7.91` cpu, `3.63Gi` memory, `29` pods. Rounded; for decisions use the number. */
export function amountInWords(name: string, amount: number, decimals = 2): string {
  if (name === 'cpu') return rounded(amount / 1_000, decimals);
  if (name !== 'memory' && name !== 'ephemeral-storage') return String(amount);
  const [unit, size] = BINARY_UNITS.find(([, least]) => Math.abs(amount) >= least) ?? ['', 1];
  return `${rounded(amount / size, decimals)}${unit}`;
}

/** Two amounts with as many decimals as it takes to tell them apart. */
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

/** Of what is less than a hundredth, the first digit that is not nought. */
function rounded(amount: number, decimals: number): string {
  const small = amount !== 0 && Math.abs(amount) < 10 ** -decimals;
  return String(small ? Number(amount.toPrecision(1)) : Math.round(amount * 10 ** decimals) / 10 ** decimals);
}

export function typesInWords(count: number): string {
  return counted(count, 'instance type');
}
