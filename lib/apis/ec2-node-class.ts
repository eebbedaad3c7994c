import type * as generated from './generated/ec2-node-class.ts';
import type { Immutable } from './immutable.ts';

export type EC2NodeClass = Immutable<generated.EC2NodeClass>;
export type AmiSelectorTerm = Immutable<generated.AmiSelectorTerm>;
export type MetadataOptions = Immutable<generated.MetadataOptions>;
export type BlockDeviceMapping = Immutable<generated.BlockDeviceMapping>;

/** What subnets, security groups and images are found by. */
export type SelectorTerm = Pick<AmiSelectorTerm, 'id' | 'name' | 'tags'>;

export type AmiFamily = NonNullable<EC2NodeClass['spec']['amiFamily']>;

/** The AMI family in force: the explicit one, else the one that the alias names (A3.7). */
export function amiFamilyOf(nodeClass: EC2NodeClass): AmiFamily {
  if (nodeClass.spec.amiFamily !== undefined) return nodeClass.spec.amiFamily;
  const alias = nodeClass.spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  return FAMILY_OF_ALIAS[alias?.split('@')[0] ?? ''] ?? 'Custom';
}

const FAMILY_OF_ALIAS: Readonly<Record<string, AmiFamily>> = {
  al2: 'AL2',
  al2023: 'AL2023',
  bottlerocket: 'Bottlerocket',
  windows2019: 'Windows2019',
  windows2022: 'Windows2022',
  windows2025: 'Windows2025',
};
