import { isMap, type YAMLMap } from 'yaml';
import { optional } from '../../apis/optional.ts';
import { prune } from './documents/shape.ts';
import { ensureMap, mapAt, present, setText, textAt, write } from './documents/yaml-map.ts';
import { takeKubelet } from './fields/kubelet-settings.ts';
import { convertReference } from './fields/node-class-reference.ts';
import { renameAnnotations, renameKeys, renameLabels } from './fields/renamed-labels.ts';
import { moveExpiry } from './legacy/legacy-disruption.ts';
import { BETA_NODE_CLAIM, BETA_NODE_POOL } from './legacy/legacy-fields.ts';
import {
  CHANGED,
  type ConversionSubject,
  dropServerFields,
  type KubeletSettings,
  type Outcome,
  setHead,
  specOf,
} from './subject.ts';

export function convertNodePool(subject: ConversionSubject): Outcome {
  setHead(subject.root, 'karpenter.sh/v1', 'NodePool');
  dropServerFields(subject);
  const spec = specOf(subject);
  prune(subject, subject.root, BETA_NODE_POOL);
  if (spec === undefined) return CHANGED;
  const template = mapAt(spec, 'template');
  renameLabels(subject, mapAt(template, 'metadata', 'labels'));
  renameAnnotations(subject, mapAt(template, 'metadata', 'annotations'));
  convertDisruption(subject, spec);
  return withKubelet(convertNodes(subject, mapAt(template, 'spec')));
}

export function convertNodeClaim(subject: ConversionSubject): Outcome {
  setHead(subject.root, 'karpenter.sh/v1', 'NodeClaim');
  dropServerFields(subject);
  const spec = specOf(subject);
  prune(subject, subject.root, BETA_NODE_CLAIM);
  if (spec === undefined) return CHANGED;
  const pool = textAt(mapAt(subject.root, 'metadata', 'labels'), 'karpenter.sh/nodepool');
  if (pool === undefined && present(spec, 'expireAfter') === undefined) {
    write(spec, 'expireAfter', 'Never');
    subject.warn(
      { within: spec, field: 'expireAfter' },
      'is written explicitly: a v1beta1 NodeClaim without a NodePool did not expire, and a v1 NodeClaim expires after 720h',
      'write expireAfter: 720h to let it expire',
    );
  }
  const outcome = withKubelet(convertNodes(subject, spec));
  const expires = present(spec, 'expireAfter') !== undefined;
  return pool === undefined || expires ? outcome : { ...outcome, expiresLike: pool };
}

function withKubelet(kubelet: KubeletSettings | undefined): Outcome {
  return { ...CHANGED, ...optional({ kubelet }) };
}

/** Converts the fields that a NodeClaim shares with the template of a NodePool. */
function convertNodes(subject: ConversionSubject, spec: YAMLMap | undefined): KubeletSettings | undefined {
  if (spec === undefined) return undefined;
  renameKeys(subject, spec, 'requirements');
  const reference = mapAt(spec, 'nodeClassRef');
  if (reference !== undefined) convertReference(reference);
  return takeKubelet(subject, spec, 'kubelet');
}

function convertDisruption(subject: ConversionSubject, spec: YAMLMap): void {
  const disruption = present(spec, 'disruption');
  if (disruption === undefined || !isMap(disruption.value)) return;
  const template = ensureMap(spec, 'template');
  const nodes = template === undefined ? undefined : ensureMap(template, 'spec');
  if (nodes !== undefined) moveExpiry(subject, disruption.value, nodes);
  convertPolicy(subject, disruption.value);
}

function convertPolicy(subject: ConversionSubject, disruption: YAMLMap): void {
  const policy = present(disruption, 'consolidationPolicy');
  const name = textAt(disruption, 'consolidationPolicy') ?? 'WhenUnderutilized';
  if (policy !== undefined && name === 'WhenUnderutilized') setText(policy, 'WhenEmptyOrUnderutilized');
  const after = present(disruption, 'consolidateAfter');
  if (after !== undefined) {
    if (name === 'WhenUnderutilized' && textAt(disruption, 'consolidateAfter') !== 'Never')
      subject.warn(
        after,
        'was set together with WhenUnderutilized, which v1beta1 rejected; v1 accepts both and waits that long',
        'write consolidateAfter: 0s to consolidate at once',
      );
    return;
  }
  write(disruption, 'consolidateAfter', name === 'WhenEmpty' ? 'Never' : '0s');
  if (name === 'WhenEmpty')
    subject.warn(
      { within: disruption, field: 'consolidateAfter' },
      'is missing with WhenEmpty, which v1beta1 rejected; Never is written',
      'write consolidateAfter: 0s to remove empty nodes at once',
    );
}
