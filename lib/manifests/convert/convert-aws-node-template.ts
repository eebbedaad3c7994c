import type { Pair, YAMLMap } from 'yaml';
import { prune } from './documents/shape.ts';
import { find, present, put, take, textAt, write } from './documents/yaml-map.ts';
import { convertAmis } from './fields/ami-family.ts';
import { convertMetadataOptions } from './fields/metadata-options.ts';
import { addPlaceholderTerms, convertSelector, type SelectorName } from './fields/selector-terms.ts';
import { convertVolumeSizes } from './fields/volume-sizes.ts';
import { AWS_NODE_TEMPLATE } from './legacy/legacy-fields.ts';
import { CHANGED, type ConversionSubject, dropServerFields, type Outcome, setHead, specOf } from './subject.ts';

const SELECTORS: readonly SelectorName[] = ['subnetSelector', 'securityGroupSelector', 'amiSelector'];

export function convertAwsNodeTemplate(subject: ConversionSubject): Outcome {
  setHead(subject.root, 'karpenter.k8s.aws/v1', 'EC2NodeClass');
  dropServerFields(subject);
  const spec = specOf(subject);
  prune(subject, subject.root, AWS_NODE_TEMPLATE);
  if (spec !== undefined) convertTemplateSpec(subject, spec);
  return CHANGED;
}

/** Also converts the inline provider of a Provisioner. */
export function convertTemplateSpec(subject: ConversionSubject, spec: YAMLMap): void {
  for (const name of SELECTORS) {
    const pair = find(spec, name);
    if (pair !== undefined) convertSelector(subject, pair, name);
  }
  const launchTemplate = take(spec, 'launchTemplate');
  if (launchTemplate !== undefined) leaveLaunchTemplateOut(subject, spec, launchTemplate);
  // The API required both selectors unless there was a launch template.
  for (const name of ['subnetSelector', 'securityGroupSelector'] as const)
    if (launchTemplate !== undefined || find(spec, `${name}Terms`) !== undefined)
      addPlaceholderTerms(subject, spec, name);
  convertVolumeSizes(subject, spec);
  convertAmis(subject, spec, { family: 'AL2' });
  convertMetadataOptions(subject, spec, 'v1alpha1');
  if (present(spec, 'instanceProfile') !== undefined || present(spec, 'role') !== undefined) return;
  put(spec, 'role', ROLE);
  subject.warn(
    { within: spec, field: 'role' },
    `is missing: the instance profile came from the global settings, which v1 does not have; ${ROLE} is written as a placeholder`,
    'write the IAM role of the nodes there, or instanceProfile instead',
  );
}

function leaveLaunchTemplateOut(subject: ConversionSubject, spec: YAMLMap, launchTemplate: Pair): void {
  const family = textAt(spec, 'amiFamily') ?? 'AL2';
  if (present(spec, 'amiFamily') === undefined) write(spec, 'amiFamily', family);
  subject.warn(
    launchTemplate,
    `was removed: v1 creates its own launch templates; the images of ${family} are used instead of the template's`,
    'write the settings of the template: amiSelectorTerms, securityGroupSelectorTerms, userData, blockDeviceMappings and role',
  );
}

/** The role name in Karpenter's setup guide. The cluster name is unknown here. */
const ROLE = 'KarpenterNodeRole-CLUSTER_NAME';
