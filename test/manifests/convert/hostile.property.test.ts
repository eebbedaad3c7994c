import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Document, parseAllDocuments } from 'yaml';
import { convertDocuments } from '../../../lib/manifests/convert/convert-documents.ts';
import { samples } from '../../samples.ts';

const RUN = { seed: 20_260_131, numRuns: samples(600, 100) };
const BUDGET_MS = 60_000;

const KINDS: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['karpenter.sh/v1alpha5', 'Provisioner'],
  ['karpenter.sh/v1alpha5', 'ProvisionerList'],
  ['karpenter.k8s.aws/v1alpha1', 'AWSNodeTemplate'],
  ['karpenter.sh/v1beta1', 'NodePool'],
  ['karpenter.sh/v1beta1', 'NodeClaim'],
  ['karpenter.k8s.aws/v1beta1', 'EC2NodeClass'],
  ['karpenter.k8s.aws/v1', 'EC2NodeClass'],
  ['apps/v1', 'Deployment'],
  ['extensions/v1beta1', 'Deployment'],
  ['policy/v1beta1', 'PodDisruptionBudget'],
  ['v1', 'Pod'],
  ['v1', 'Node'],
  ['v1', 'List'],
];

/** Names that the conversion reads, so that random bodies reach all of its code. */
const NAMES = [
  'metadata spec status name labels annotations template items apiVersion kind limits resources weight taints',
  'requirements key operator values providerRef provider ttlSecondsAfterEmpty ttlSecondsUntilExpired consolidation',
  'enabled kubeletConfiguration kubelet maxPods containerRuntime nodeClassRef disruption expireAfter consolidateAfter',
  'consolidationPolicy subnetSelector securityGroupSelector amiSelector amiSelectorTerms amiFamily launchTemplate',
  'tolerations effect startupTaints volumeSize selector matchLabels karpenter.sh/nodepool',
  'metadataOptions httpTokens blockDeviceMappings ebs aws-ids aws::name nodeSelector affinity nodeAffinity',
  'topologySpreadConstraints topologyKey karpenter.sh/provisioner-name karpenter.sh/do-not-evict',
  '__proto__ constructor toString << 1 null ~ & *',
].flatMap((line) => line.split(' '));
const TEXTS = [
  '',
  'a,b',
  'Ubuntu',
  'AL2',
  'WhenUnderutilized',
  'karpenter.sh/provisioner-name',
  'shared',
  'karpenter.sh/disruption',
  'disrupting',
  '1025Mi',
  '\u{1F680}',
  '30s',
];

const { body } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...TEXTS),
    fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string()),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: fc.string() }),
      tie('body'),
      { maxKeys: 6 },
    ),
    fc.array(tie('body'), { maxLength: 4 }),
  ),
}));

const object = fc
  .tuple(
    fc.constantFrom(...KINDS),
    fc.dictionary(fc.constantFrom('metadata', 'spec', 'status', 'items', 'template'), body),
  )
  .map(([[apiVersion, kind], fields]) => ({ apiVersion, kind, ...fields }));

const OLD =
  /"apiVersion":"karpenter\.(?:sh|k8s\.aws)\/v1(?:alpha5|alpha1|beta1)","kind":"(?:Provisioner|NodePool|NodeClaim|EC2NodeClass|AWSNodeTemplate)"/;

test(
  'objects with anything in any field are converted without an exception, to YAML that parses',
  () => {
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 3 }), (objects) => {
        const documents = objects.map((value) => new Document(value));
        const conversions = convertDocuments(documents);
        expect(conversions).toHaveLength(documents.length);
        for (const conversion of conversions) {
          for (const { message, fix } of conversion.warnings) expect([message, fix]).not.toContain('');
          const [first] = conversion.documents;
          expect(parseAllDocuments(String(first)).flatMap(({ errors }) => errors)).toEqual([]);
        }
        const refused = /so (?:it|the object) was not converted$/;
        const rest = conversions.filter(({ warnings }) => !warnings.some(({ message }) => refused.test(message)));
        const again = convertDocuments(rest.flatMap(({ documents: converted }) => converted));
        expect(again.filter(({ converted }) => converted)).toEqual([]);
        const heads = rest.map(({ documents: [first] }) => {
          const { apiVersion, kind } = Object(first?.toJS());
          return JSON.stringify({ apiVersion, kind });
        });
        expect(heads.filter((head) => OLD.test(head.slice(0, -1)))).toEqual([]);
      }),
      RUN,
    );
  },
  BUDGET_MS,
);

test(
  'texts with anchors, aliases, merges and keys of any kind end in a conversion too',
  () => {
    const line = fc.constantFrom(
      '  a: &a {b: c}',
      '  d: *a',
      '  <<: *a',
      '  <<: [*a, {e: f}]',
      '  ? [x]\n  : y',
      '  ? {x: 1}\n  : y',
      '  ~: z',
      '  1: z',
      '  provider: *a',
      '  providerRef: *a',
      '  kubelet: *a',
      '  requirements: [*a, *a]',
      '  labels: &l {<<: *a}',
      '  labels: *l',
      '  subnetSelector: {<<: *l}',
      '  disruption: {<<: 3}',
      '  __proto__: {x: 1}',
      '  limits: !!set {cpu}',
      '  limits: !!omap [a: *a]',
      '  taints: !!omap [a: 1]',
      '  weight: !!binary aGk=',
      '  spec:',
    );
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.array(line, { maxLength: 8 }), ([apiVersion, kind], lines) => {
        const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nspec:\n${lines.join('\n')}\n`;
        const documents = parseAllDocuments(text, { merge: true, uniqueKeys: false, logLevel: 'silent' });
        const conversions = convertDocuments([...documents]);
        for (const { documents: out, converted } of conversions)
          if (converted) for (const document of out) expect(() => document.toJS()).not.toThrow();
      }),
      RUN,
    );
  },
  BUDGET_MS,
);
