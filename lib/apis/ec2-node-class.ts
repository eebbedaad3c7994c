import { type AmiFamily, FAMILY_OF_ALIAS } from './ami-family.ts';
import type { Immutable } from './formats/immutable.ts';
import type * as generated from './generated/ec2-node-class.ts';

export type EC2NodeClass = Immutable<generated.EC2NodeClass>;
export type EC2NodeClassStatus = Immutable<generated.EC2NodeClassStatus>;
export type AmiSelectorTerm = Immutable<generated.AmiSelectorTerm>;
export type MetadataOptions = Immutable<generated.MetadataOptions>;
export type ConnectionTracking = Immutable<generated.ConnectionTracking>;
export type BlockDeviceMapping = Immutable<generated.BlockDeviceMapping>;

/** The fields by which subnets, security groups and images are selected. */
export type SelectorTerm = Pick<AmiSelectorTerm, 'id' | 'name' | 'tags'>;

/** The effective AMI family: the explicit one, else the family of the alias (A3.7). */
export function amiFamilyOf(nodeClass: EC2NodeClass): AmiFamily {
  if (nodeClass.spec.amiFamily !== undefined) return nodeClass.spec.amiFamily;
  const alias = nodeClass.spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  return FAMILY_OF_ALIAS.get(alias?.split('@')[0] ?? '') ?? 'Custom';
}
