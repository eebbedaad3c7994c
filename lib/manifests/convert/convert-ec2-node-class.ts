import { prune } from './documents/shape.ts';
import { addCustomFamily, convertAmis, takeAliasVersion } from './fields/ami-family.ts';
import { convertMetadataOptions } from './fields/metadata-options.ts';
import { convertVolumeSizes } from './fields/volume-sizes.ts';
import { BETA_NODE_CLASS } from './legacy/legacy-fields.ts';
import { CHANGED, type ConversionSubject, dropStatus, type Outcome, setHead, specOf } from './subject.ts';

export function convertEc2NodeClass(subject: ConversionSubject): Outcome {
  setHead(subject.root, 'karpenter.k8s.aws/v1', 'EC2NodeClass');
  dropStatus(subject);
  const spec = specOf(subject);
  prune(subject, subject.root, BETA_NODE_CLASS);
  if (spec === undefined) return CHANGED;
  addCustomFamily(subject, spec);
  convertVolumeSizes(subject, spec);
  convertAmis(subject, spec, { version: takeAliasVersion(subject.root) });
  convertMetadataOptions(subject, spec, 'v1beta1');
  return CHANGED;
}
