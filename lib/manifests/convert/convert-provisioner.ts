import { isMap, isNode, type Pair, YAMLMap } from 'yaml';
import { optional } from '../../apis/optional.ts';
import { convertTemplateSpec } from './convert-aws-node-template.ts';
import { inherit, liftComment, takeAbove } from './documents/comments.ts';
import { prune } from './documents/shape.ts';
import {
  isNull,
  mapAt,
  mapsIn,
  moveAll,
  newPair,
  present,
  put,
  rename,
  take,
  textAt,
  toNode,
  withoutGap,
  write,
} from './documents/yaml-map.ts';
import { addDefaultRequirements } from './fields/default-requirements.ts';
import { takeKubelet } from './fields/kubelet-settings.ts';
import { convertProviderReference, referenceTo } from './fields/node-class-reference.ts';
import { renameAnnotations, renameKeys, renameLabels } from './fields/renamed-labels.ts';
import { convertEmptiness, convertExpiry } from './legacy/legacy-disruption.ts';
import { PROVIDER, PROVISIONER } from './legacy/legacy-fields.ts';
import {
  CHANGED,
  type ConversionSubject,
  dropServerFields,
  type Outcome,
  setHead,
  specOf,
  subjectNameOf,
} from './subject.ts';

export function convertProvisioner(subject: ConversionSubject): Outcome {
  setHead(subject.root, 'karpenter.sh/v1', 'NodePool');
  dropServerFields(subject);
  const spec = specOf(subject);
  prune(subject, subject.root, PROVISIONER);
  if (spec === undefined) return CHANGED;
  liftComment(spec);
  const metadata = new YAMLMap();
  moveAll(spec, metadata, ['labels', 'annotations']);
  const nodes = new YAMLMap();
  moveAll(spec, nodes, ['requirements', 'taints', 'startupTaints']);
  for (const name of ['taints', 'startupTaints']) addEffects(subject, mapsIn(nodes, name));
  renameLabels(subject, mapAt(metadata, 'labels'));
  renameAnnotations(subject, mapAt(metadata, 'annotations'));
  renameKeys(subject, nodes, 'requirements');
  addDefaultRequirements(subject, { spec, nodes });
  const kubelet = takeKubelet(subject, spec, 'kubeletConfiguration');
  const added = convertProvider(subject, { spec, nodes });
  convertExpiry(subject, spec, nodes);
  convertLimits(spec);
  const disruption = convertEmptiness(subject, spec);
  const template = new YAMLMap();
  if (metadata.items.length > 0) put(template, 'metadata', withoutGap(metadata));
  put(template, 'spec', withoutGap(nodes));
  spec.items.unshift(newPair('template', template), newPair('disruption', withoutGap(disruption)));
  return { changed: true, added, ...optional({ kubelet }) };
}

interface Parts {
  readonly spec: YAMLMap;
  /** The template's spec. */
  readonly nodes: YAMLMap;
}

/** Converts providerRef or provider. An inline provider becomes an EC2NodeClass. */
function convertProvider(subject: ConversionSubject, { spec, nodes }: Parts): readonly YAMLMap[] {
  const reference = take(spec, 'providerRef');
  const provider = take(spec, 'provider');
  if (reference !== undefined && !isNull(reference.value)) {
    warnOfSecond(subject, provider);
    rename(reference, 'nodeClassRef');
    if (isMap(reference.value)) convertProviderReference(reference.value);
    nodes.items.push(reference);
    return [];
  }
  const name = subjectNameOf(subject.root);
  if (provider !== undefined && isMap(provider.value)) {
    put(nodes, 'nodeClassRef', referenceTo(name));
    const made = inlineClass(subject, provider.value, name);
    made.commentBefore = takeAbove(provider) ?? null;
    return [made];
  }
  if (provider !== undefined && !isNull(provider.value))
    subject.warn(provider, 'was removed: it is not a map', 'write an EC2NodeClass and reference it in nodeClassRef');
  put(nodes, 'nodeClassRef', referenceTo('default'));
  subject.warn(
    { within: spec, field: 'providerRef' },
    'is missing, and v1 requires a node class; nodeClassRef references one named "default"',
    'write the EC2NodeClass, or reference another in nodeClassRef',
  );
  return [];
}

function warnOfSecond(subject: ConversionSubject, provider: Pair | undefined): void {
  if (provider === undefined || isNull(provider.value)) return;
  subject.warn(
    provider,
    'was removed: providerRef references the node class, and v1alpha5 rejected both together',
    'write its fields in that EC2NodeClass',
  );
}

function inlineClass(subject: ConversionSubject, provider: YAMLMap, name: string): YAMLMap {
  prune(subject, provider, PROVIDER);
  liftComment(provider);
  convertTemplateSpec(subject, provider);
  const made = new YAMLMap();
  put(made, 'apiVersion', 'karpenter.k8s.aws/v1');
  put(made, 'kind', 'EC2NodeClass');
  put(made, 'metadata', toNode({ name }));
  put(made, 'spec', withoutGap(provider));
  return made;
}

/** v1alpha5 accepted a taint without an effect, although no node can have one. */
function addEffects(subject: ConversionSubject, taints: readonly YAMLMap[]): void {
  for (const taint of taints) {
    if (textAt(taint, 'effect') !== '' && present(taint, 'effect') !== undefined) continue;
    write(taint, 'effect', 'NoSchedule');
    subject.warn(
      { within: taint, field: 'effect' },
      'is missing, and v1 requires it; NoSchedule is written',
      'write PreferNoSchedule or NoExecute if you want one of those',
    );
  }
}

function convertLimits(spec: YAMLMap): void {
  const limits = present(spec, 'limits');
  if (limits === undefined || !isMap(limits.value)) return;
  const resources = present(limits.value, 'resources');
  if (resources === undefined) {
    take(spec, 'limits');
    return;
  }
  const { value: former } = limits;
  limits.value = resources.value;
  if (isNode(resources.key)) inherit(limits, resources.key);
  inherit(limits, former);
}
