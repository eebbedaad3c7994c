export type AmiFamily = 'AL2' | 'AL2023' | 'Bottlerocket' | 'Custom' | 'Windows2019' | 'Windows2022' | 'Windows2025';

/** A3.5, A3.7: the AMI family of each alias. */
export const FAMILY_OF_ALIAS: ReadonlyMap<string, AmiFamily> = new Map<string, AmiFamily>([
  ['al2', 'AL2'],
  ['al2023', 'AL2023'],
  ['bottlerocket', 'Bottlerocket'],
  ['windows2019', 'Windows2019'],
  ['windows2022', 'Windows2022'],
  ['windows2025', 'Windows2025'],
]);
