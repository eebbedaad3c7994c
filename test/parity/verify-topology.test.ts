import { describe } from 'vitest';
import { aClaim, aNode, aPlan, aPod, aPool, aSnapshot, onNode } from './small-cluster.ts';
import { type Objection, testObjections } from './verifier/objections.ts';
import type { RawAffinityTerm, RawPod, RawSpread } from './verifier/raw-documents.ts';
import { HOSTNAME, ZONE } from './verifier/well-known-labels.ts';

/** Tests the verifier for topology: spread, affinity, anti-affinity; in the final state, with decided and open zones. */

const OF_A = { matchLabels: { app: 'a' } };
const spread = (over: Partial<RawSpread> = {}): RawPod['spec'] => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: OF_A, ...over },
  ],
});
const overRacks: RawPod['spec'] = {
  topologySpreadConstraints: [...(spread().topologySpreadConstraints ?? []), { maxSkew: 9, topologyKey: 'rack' }],
};
const inRack = (name: string, zone: string) => aNode(name, { zone, metadata: { name, labels: { rack: '1' } } });
const term = (over: Partial<RawAffinityTerm> = {}): readonly RawAffinityTerm[] => [
  { topologyKey: ZONE, labelSelector: OF_A, ...over },
];
const beside = (over: Partial<RawAffinityTerm> = {}): RawPod['spec'] => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(over) } },
});
const besideBoth: RawPod['spec'] = {
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        ...term({ labelSelector: { matchLabels: { app: 'b' } } }),
        ...term({ labelSelector: { matchLabels: { tier: 'x' } } }),
      ],
    },
  },
};
const apart = (over: Partial<RawAffinityTerm> = {}): RawPod['spec'] => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(over) } },
});
const claimIn = (zone: string, ...pods: readonly string[]) => aClaim(pods, { zone });
const pods = (spec: RawPod['spec'], ...names: readonly string[]) => names.map((name) => aPod(name, spec));
const running = (name: string, node: string, over: { spec?: RawPod['spec']; labels?: Record<string, string> } = {}) =>
  aPod(name, { ...over.spec, nodeName: node }, { labels: over.labels ?? { app: 'a' } });

const onePool = (zone: string) => aPool({}, { requirements: [{ key: ZONE, operator: 'In', values: [zone] }] });

const SPREAD: readonly Objection[] = [
  {
    rule: 'zones differ by maxSkew at most (B47)',
    snapshot: aSnapshot({ pods: pods(spread(), 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    broken: aPlan([claimIn('a', 'p'), claimIn('a', 'q')]),
    says: /^pod default\/p: maxSkew of .* is 1, but a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'pods that run are counted (B46)',
    snapshot: aSnapshot({ pods: [aPod('p', spread()), running('r', 'n')], nodes: [aNode('n')] }),
    sound: aPlan([claimIn('b', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'pods that are being deleted are not counted (B46)',
    snapshot: aSnapshot({
      pods: [aPod('p', spread()), aPod('r', { nodeName: 'n' }, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      nodes: [aNode('n')],
    }),
    sound: aPlan([claimIn('a', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    brokenSnapshot: aSnapshot({ pods: [aPod('p', spread()), running('r', 'n')], nodes: [aNode('n')] }),
    says: /a has 2 pods/,
  },
  {
    rule: 'pods of another namespace are not counted (B52)',
    snapshot: aSnapshot({
      pods: [aPod('p', spread()), aPod('r', { nodeName: 'n' }, { namespace: 'other' })],
      nodes: [aNode('n')],
    }),
    sound: aPlan([claimIn('a', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    brokenSnapshot: aSnapshot({ pods: [aPod('p', spread()), running('r', 'n')], nodes: [aNode('n')] }),
    says: /a has 2 pods/,
  },
  {
    rule: 'the minimum is over the domains that the pod may use (B47)',
    snapshot: aSnapshot({ pods: pods({ ...spread(), nodeSelector: { [ZONE]: 'a' } }, 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p', 'q')]),
    broken: aPlan([claimIn('a', 'p', 'q')]),
    brokenSnapshot: aSnapshot({ pods: pods(spread(), 'p', 'q') }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'a domain that no pool can add and no node has is not in the minimum (B45)',
    snapshot: aSnapshot({ pods: pods(spread(), 'p', 'q'), nodePools: [onePool('a')] }),
    sound: aPlan([claimIn('a', 'p', 'q')]),
    broken: aPlan([claimIn('a', 'p', 'q')]),
    brokenSnapshot: aSnapshot({
      pods: pods(spread(), 'p', 'q'),
      nodePools: [onePool('a')],
      nodes: [aNode('n', { zone: 'b' })],
    }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'a claim in flight adds no domain until its node exists (B45)',
    snapshot: aSnapshot({
      pods: pods(spread(), 'p', 'q'),
      nodePools: [onePool('a')],
      nodeClaims: [{ metadata: { name: 'c', labels: { [ZONE]: 'b' } } }],
    }),
    sound: aPlan([claimIn('a', 'p', 'q')]),
    broken: aPlan([claimIn('a', 'p', 'q')]),
    brokenSnapshot: aSnapshot({
      pods: pods(spread(), 'p', 'q'),
      nodePools: [onePool('a')],
      nodes: [aNode('n', { zone: 'b' })],
    }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'with fewer domains than minDomains the minimum is 0 (B48)',
    snapshot: aSnapshot({ pods: pods(spread({ minDomains: 2 }), 'p', 'q', 'r') }),
    sound: aPlan([claimIn('a', 'p', 'q'), claimIn('b', 'r')]),
    broken: aPlan([claimIn('a', 'p', 'q'), claimIn('b', 'r')]),
    brokenSnapshot: aSnapshot({ pods: pods(spread({ minDomains: 3 }), 'p', 'q', 'r') }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'under nodeAffinityPolicy Ignore the minimum may be over all domains or those that the pod may use (B47, B51)',
    snapshot: aSnapshot({
      pods: [
        ...pods(
          { ...spread({ nodeAffinityPolicy: 'Ignore', minDomains: 2 }), nodeSelector: { [ZONE]: 'a' } },
          'p',
          'q',
        ),
        running('r', 'n'),
      ],
      nodes: [aNode('n', { zone: 'b' })],
    }),
    sound: aPlan([claimIn('a', 'p', 'q')]),
    broken: aPlan([claimIn('a', 'p', 'q')]),
    brokenSnapshot: aSnapshot({
      pods: pods(
        { ...spread({ nodeAffinityPolicy: 'Ignore', minDomains: 2 }), nodeSelector: { [ZONE]: 'a' } },
        'p',
        'q',
      ),
    }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'one host has at most maxSkew pods (B49)',
    snapshot: aSnapshot({ pods: pods(spread({ topologyKey: HOSTNAME }), 'p', 'q') }),
    sound: aPlan([aClaim(['p']), aClaim(['q'])]),
    broken: aPlan([aClaim(['p', 'q'])]),
    says: /maxSkew of kubernetes.io\/hostname is 1/,
  },
  {
    rule: 'a node without the label is not in a domain',
    snapshot: aSnapshot({ pods: pods(spread({ topologyKey: 'family' }), 'p'), nodes: [aNode('n')] }),
    sound: aPlan([aClaim(['p'], { instanceTypes: ['small'] })]),
    broken: onNode('n', 'p'),
    says: /spread over family, but node n does not have the label/,
  },
  {
    rule: "matchLabelKeys restrict the count to the pod's values (B50)",
    snapshot: aSnapshot({
      pods: [
        aPod('p', spread({ matchLabelKeys: ['hash'] }), { labels: { app: 'a', hash: '2' } }),
        running('r', 'n', { labels: { app: 'a', hash: '1' } }),
      ],
      nodes: [aNode('n')],
    }),
    sound: aPlan([claimIn('a', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    brokenSnapshot: aSnapshot({
      pods: [
        aPod('p', spread({ matchLabelKeys: ['hash'] }), { labels: { app: 'a', hash: '2' } }),
        running('r', 'n', { labels: { app: 'a', hash: '2' } }),
      ],
      nodes: [aNode('n')],
    }),
    says: /a has 2 pods/,
  },
  {
    rule: 'an empty selector counts no pods (B50)',
    snapshot: aSnapshot({ pods: pods(spread({ labelSelector: {} }), 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p'), claimIn('a', 'q')]),
    broken: aPlan([claimIn('a', 'p'), claimIn('a', 'q')]),
    brokenSnapshot: aSnapshot({ pods: pods(spread({ labelSelector: {}, matchLabelKeys: ['app'] }), 'p', 'q') }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'pods on nodes without the topology keys of all required constraints are not counted (B47)',
    snapshot: aSnapshot({
      pods: [aPod('p', overRacks), running('r', 'n')],
      nodes: [aNode('n'), inRack('m', 'a'), inRack('o', 'b')],
    }),
    sound: onNode('m', 'p'),
    broken: onNode('m', 'p'),
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', overRacks), running('r', 'n')],
      nodes: [inRack('n', 'a'), inRack('m', 'a'), inRack('o', 'b')],
    }),
    says: /a has 2 pods and the minimum is 0/,
  },
  {
    rule: 'nodes that the selector excludes count under nodeAffinityPolicy Ignore only (B51)',
    snapshot: aSnapshot({
      pods: [aPod('p', { ...spread(), nodeSelector: { family: 's' } }), running('r', 'n')],
      nodes: [aNode('n')],
    }),
    sound: aPlan([aClaim(['p'], { zone: 'a', instanceTypes: ['small'] })]),
    broken: aPlan([aClaim(['p'], { zone: 'a', instanceTypes: ['small'] })]),
    brokenSnapshot: aSnapshot({
      pods: [
        aPod('p', { ...spread({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { family: 's' } }),
        running('r', 'n'),
      ],
      nodes: [aNode('n')],
    }),
    says: /a has 2 pods/,
  },
  {
    rule: 'nodes with a taint that is not tolerated are left out under nodeTaintsPolicy Honor only (B51)',
    snapshot: aSnapshot({
      pods: [aPod('p', spread({ nodeTaintsPolicy: 'Honor' })), running('r', 'n')],
      nodes: [aNode('n', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } })],
    }),
    sound: aPlan([claimIn('a', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', spread()), running('r', 'n')],
      nodes: [aNode('n', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } })],
    }),
    says: /a has 2 pods/,
  },
  {
    rule: 'an open zone that may exceed the skew has the prefix `open:`',
    snapshot: aSnapshot({ pods: pods(spread(), 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    broken: aPlan([claimIn('a', 'p'), aClaim(['q'])]),
    says: /^open: pod default\/p: .* a may have 2 pods and the minimum may be 0/,
  },
  {
    rule: 'a pod that counts for only some types of its claim has the prefix `open:` (B51)',
    snapshot: aSnapshot({ pods: [...pods({ ...spread(), nodeSelector: { family: 's' } }, 'p', 'q'), aPod('r')] }),
    sound: aPlan([
      aClaim(['p', 'q'], { zone: 'a', instanceTypes: ['small'] }),
      aClaim(['r'], { zone: 'b', instanceTypes: ['small'] }),
    ]),
    broken: aPlan([aClaim(['p', 'q'], { zone: 'a', instanceTypes: ['small'] }), claimIn('b', 'r')]),
    says: /^open: pod default\/p: .* a may have 2 pods and the minimum may be 0/,
  },
  {
    rule: 'an open zone of a pod that is only counted has the prefix `open:`',
    snapshot: aSnapshot({ pods: [aPod('p', spread()), aPod('q')] }),
    sound: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    broken: aPlan([claimIn('a', 'p'), aClaim(['q'])]),
    says: /^open: pod default\/p/,
  },
];

const AFFINITY: readonly Objection[] = [
  {
    rule: 'a pod is where a selected pod runs (B53)',
    snapshot: aSnapshot({
      pods: [aPod('p', beside()), running('r', 'n')],
      nodes: [aNode('n', { zone: 'b' })],
    }),
    sound: aPlan([claimIn('b', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    says: /^pod default\/p: no pod of .* it may not be the first, because pod default\/r runs on node n/,
  },
  {
    rule: 'a pod that selects itself may be the first, in one domain (B53)',
    snapshot: aSnapshot({ pods: pods(beside(), 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p'), claimIn('a', 'q')]),
    broken: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    says: /^pod default\/q: no pod of .* pod default\/p is the first/,
  },
  {
    rule: 'a pod that does not select itself may not be the first (B53)',
    snapshot: aSnapshot({
      pods: [aPod('p', beside(), { labels: { app: 'b' } }), aPod('q')],
    }),
    sound: aPlan([aClaim(['p', 'q'])]),
    broken: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    says: /^pod default\/p: no pod of/,
  },
  {
    rule: 'a term includes the pods of a namespace that its namespace selector matches (B52)',
    snapshot: aSnapshot({
      pods: [
        aPod('p', beside({ namespaceSelector: { matchLabels: { tier: 'x' } } }), { labels: { app: 'b' } }),
        aPod('q', {}, { namespace: 'other' }),
      ],
      namespaces: [{ metadata: { name: 'other', labels: { tier: 'x' } } }],
    }),
    sound: aPlan([aClaim(['p', 'other/q'])]),
    broken: aPlan([aClaim(['p', 'other/q'])]),
    brokenSnapshot: aSnapshot({
      pods: [
        aPod('p', beside({ namespaceSelector: { matchLabels: { tier: 'x' } } }), { labels: { app: 'b' } }),
        aPod('q', {}, { namespace: 'other' }),
      ],
    }),
    says: /^pod default\/p: no pod of/,
  },
  {
    rule: 'of several terms, all must select the same pod (B53)',
    snapshot: aSnapshot({
      pods: [aPod('p', besideBoth), running('a', 'n'), running('b', 'n', { labels: { app: 'b', tier: 'x' } })],
      nodes: [aNode('n', { zone: 'b' })],
    }),
    sound: aPlan([claimIn('b', 'p')]),
    broken: aPlan([claimIn('b', 'p')]),
    brokenSnapshot: aSnapshot({
      pods: [
        aPod('p', besideBoth),
        running('a', 'n', { labels: { app: 'b' } }),
        running('b', 'n', { labels: { tier: 'x' } }),
      ],
      nodes: [aNode('n', { zone: 'b' })],
    }),
    says: /^pod default\/p: no pod of .*"app":"b".* and .*"tier":"x"/,
  },
  {
    rule: 'an open zone that may differ from that of the selected pod has the prefix `open:`',
    snapshot: aSnapshot({ pods: pods(beside(), 'p', 'q') }),
    sound: aPlan([aClaim(['p', 'q'])]),
    broken: aPlan([aClaim(['p']), aClaim(['q'])]),
    says: /^open: pod default\/q: no pod of/,
  },
];

const ANTI_AFFINITY: readonly Objection[] = [
  {
    rule: 'a pod excludes selected pods from its domain (B54)',
    snapshot: aSnapshot({ pods: pods(apart(), 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    broken: aPlan([claimIn('a', 'p'), claimIn('a', 'q')]),
    says: /^pod default\/p: excludes .*, but pod default\/q is also in a/,
  },
  {
    rule: 'a pod excludes selected pods from its host (B54)',
    snapshot: aSnapshot({ pods: pods(apart({ topologyKey: HOSTNAME }), 'p', 'q') }),
    sound: aPlan([aClaim(['p']), aClaim(['q'])]),
    broken: aPlan([aClaim(['p', 'q'])]),
    says: /^pod default\/p: excludes/,
  },
  {
    rule: 'a running pod excludes new pods (B55)',
    snapshot: aSnapshot({
      pods: [aPod('p'), running('r', 'n', { spec: apart(), labels: { app: 'b' } })],
      nodes: [aNode('n')],
    }),
    sound: aPlan([claimIn('b', 'p')]),
    broken: aPlan([claimIn('a', 'p')]),
    says: /^pod default\/r: excludes .* but pod default\/p is also in a/,
  },
  {
    rule: 'pods that do not select themselves may share a domain (B54)',
    snapshot: aSnapshot({
      pods: [...['p', 'q'].map((name) => aPod(name, apart(), { labels: { app: 'b' } })), aPod('r')],
    }),
    sound: aPlan([claimIn('a', 'p', 'q'), claimIn('b', 'r')]),
    broken: aPlan([claimIn('a', 'p', 'r'), claimIn('b', 'q')]),
    says: /^pod default\/p: excludes .* but pod default\/r/,
  },
  {
    rule: 'only pods of the named namespaces are excluded (B52)',
    snapshot: aSnapshot({
      pods: [aPod('p', apart()), aPod('q', {}, { namespace: 'other' })],
    }),
    sound: aPlan([claimIn('a', 'p', 'other/q')]),
    broken: aPlan([claimIn('a', 'p', 'other/q')]),
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', apart({ namespaces: ['other'] })), aPod('q', {}, { namespace: 'other' })],
    }),
    says: /^pod default\/p: excludes .* but pod other\/q/,
  },
  {
    rule: 'two open zones that may be the same have the prefix `open:`',
    snapshot: aSnapshot({ pods: pods(apart(), 'p', 'q') }),
    sound: aPlan([claimIn('a', 'p'), claimIn('b', 'q')]),
    broken: aPlan([claimIn('a', 'p'), aClaim(['q'])]),
    says: /^open: pod default\/p: excludes/,
  },
];

describe('spread', () => testObjections(SPREAD));
describe('affinity', () => testObjections(AFFINITY));
describe('anti-affinity', () => testObjections(ANTI_AFFINITY));
