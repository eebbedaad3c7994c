import { describe, expect, test } from 'vitest';
import { comparePlans } from './compare-plans.ts';
import { aClaim, aNode, aPlan, aPod, aPool, aSnapshot, hostPort, onNode, requests } from './small-cluster.ts';
import { type Objection, testObjections } from './verifier/objections.ts';
import { ZONE } from './verifier/well-known-labels.ts';

/** Tests the verifier: for each rule, it accepts a correct plan and rejects the same plan with one error. */

const one = aSnapshot({ pods: [aPod('p')] });
const two = aSnapshot({ pods: [aPod('p'), aPod('q')] });
const sound = aPlan([aClaim(['p'])]);
const requiring = (expression: { key: string; operator: string; values?: string[] }) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
    },
  },
});

const ANSWERS: readonly Objection[] = [
  {
    rule: 'every pending pod has an answer',
    snapshot: two,
    sound: aPlan([aClaim(['p'])], { podErrors: { 'default/q': 'too large' } }),
    broken: sound,
    says: /default\/q is pending and has no answer/,
  },
  {
    rule: 'a pod has one answer',
    snapshot: one,
    sound,
    broken: aPlan([aClaim(['p'])], { podErrors: { 'default/p': 'too large' } }),
    says: /more than once: claim 1, podErrors/,
  },
  {
    rule: 'every pod exists',
    snapshot: one,
    sound,
    broken: aPlan([aClaim(['p', 'x'])]),
    says: /pod default\/x does not exist/,
  },
  {
    rule: 'a pod that runs stays where it is',
    snapshot: aSnapshot({ pods: [aPod('p'), aPod('r', { nodeName: 'n' })], nodes: [aNode('n')] }),
    sound,
    broken: aPlan([aClaim(['p', 'r'])]),
    says: /default\/r does not need a place/,
  },
  {
    rule: 'every node exists',
    snapshot: aSnapshot({ pods: [aPod('p')], nodes: [aNode('n')] }),
    sound: onNode('n', 'p'),
    broken: onNode('m', 'p'),
    says: /node m does not exist/,
  },
  {
    rule: 'every pool exists',
    snapshot: one,
    sound,
    broken: aPlan([aClaim(['p'], { nodePool: 'other' })]),
    says: /NodePool other does not exist/,
  },
];

const zoned = aSnapshot({
  pods: [aPod('p')],
  nodePools: [aPool({}, { requirements: [{ key: ZONE, operator: 'In', values: ['a'] }] })],
});

const CLAIMS: readonly Objection[] = [
  {
    rule: 'a claim meets the requirements of its pool (B14)',
    snapshot: zoned,
    sound: aPlan([aClaim(['p'], { zone: 'a' })]),
    broken: sound,
    says: /its topology.kubernetes.io\/zone .* allows more than the pool's/,
  },
  {
    rule: 'a claim requires only labels that its pool or its type has',
    snapshot: one,
    sound,
    broken: aPlan([aClaim(['p'], { requirements: { team: [{ operator: 'In', values: ['x'] }] } })]),
    says: /does not meet team/,
  },
  {
    rule: 'a listed type is one of the pool',
    snapshot: aSnapshot({ pods: [aPod('p')], nodePoolInstanceTypes: { pool: ['small'] } }),
    sound: aPlan([aClaim(['p'], { instanceTypes: ['small'] })]),
    broken: sound,
    says: /type large is not a type of NodePool pool/,
  },
  {
    rule: 'a listed type meets the requirements of the claim',
    snapshot: one,
    sound: aPlan([
      aClaim(['p'], { instanceTypes: ['small'], requirements: { family: [{ operator: 'In', values: ['s'] }] } }),
    ]),
    broken: aPlan([aClaim(['p'], { requirements: { family: [{ operator: 'In', values: ['s'] }] } })]),
    says: /type large does not meet family/,
  },
  {
    rule: 'a listed type has an offering with capacity',
    snapshot: one,
    sound,
    broken: aPlan([
      aClaim(['p'], { requirements: { 'karpenter.sh/capacity-type': [{ operator: 'In', values: ['spot'] }] } }),
    ]),
    says: /type small has no available offering/,
  },
  {
    rule: 'the pods fit every listed type, one by one and together (B36)',
    snapshot: aSnapshot({ pods: [aPod('p', requests('1')), aPod('q', requests('0.9')), aPod('r', requests('1m'))] }),
    sound: aPlan([aClaim(['p', 'q']), aClaim(['r'])]),
    broken: aPlan([aClaim(['p', 'q', 'r'])]),
    says: /do not fit small: cpu 1.901 requested, 1.9 available/,
  },
  {
    rule: 'init containers, sidecars and overhead are part of the request (B18)',
    snapshot: aSnapshot({ pods: [aPod('p', requests('1900m'))] }),
    sound,
    broken: sound,
    brokenSnapshot: aSnapshot({
      pods: [
        aPod('p', {
          ...requests('1'),
          initContainers: [
            { name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '400m' } } },
            { name: 'init', resources: { requests: { cpu: '1400m' } } },
          ],
          overhead: { cpu: '101m' },
        }),
      ],
    }),
    says: /cpu 1.901 requested, 1.9 available/,
  },
  {
    rule: 'the requests of the pod replace those of its containers (B18)',
    snapshot: aSnapshot({ pods: [aPod('p', { ...requests('4'), resources: { requests: { cpu: '1' } } })] }),
    sound,
    broken: sound,
    brokenSnapshot: aSnapshot({ pods: [aPod('p', { ...requests('1'), resources: { requests: { cpu: '4' } } })] }),
    says: /cpu 4 requested/,
  },
  {
    rule: 'each pod uses one of `pods`',
    snapshot: aSnapshot({ pods: Array.from({ length: 11 }, (_, index) => aPod(`p${index}`, { containers: [] })) }),
    sound: aPlan([aClaim(['p10']), aClaim(Array.from({ length: 10 }, (_, index) => `p${index}`))]),
    broken: aPlan([aClaim(Array.from({ length: 11 }, (_, index) => `p${index}`))]),
    says: /pods 11 requested, 10 available/,
  },
  {
    rule: 'daemons that run on the type need room (B21)',
    snapshot: aSnapshot({
      pods: [aPod('p', requests('1800m'))],
      daemonSets: [{ metadata: { name: 'd' }, spec: { template: { spec: requests('100m') } } }],
    }),
    sound,
    broken: sound,
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', requests('1800m'))],
      daemonSets: [{ metadata: { name: 'd' }, spec: { template: { spec: requests('101m') } } }],
    }),
    says: /its pods and daemons do not fit small/,
  },
  {
    rule: 'daemons that do not run on the type need no room (B21)',
    snapshot: aSnapshot({
      pods: [aPod('p', requests('1800m'))],
      daemonSets: [
        { metadata: { name: 'd' }, spec: { template: { spec: { ...requests('2'), nodeSelector: { family: 'l' } } } } },
      ],
    }),
    sound,
    broken: sound,
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', requests('1800m'))],
      daemonSets: [
        { metadata: { name: 'd' }, spec: { template: { spec: { ...requests('2'), nodeSelector: { family: 's' } } } } },
      ],
    }),
    says: /do not fit small/,
  },
  {
    rule: 'a node selector holds for every option of the claim',
    snapshot: aSnapshot({ pods: [aPod('p', { nodeSelector: { [ZONE]: 'b' } })] }),
    sound: aPlan([aClaim(['p'], { zone: 'b' })]),
    broken: sound,
    says: /has a node selector or affinity that does not hold if it becomes small, a, on-demand/,
  },
  {
    rule: 'one term of the required node affinity holds for every option of the claim',
    snapshot: aSnapshot({ pods: [aPod('p', requiring({ key: 'family', operator: 'NotIn', values: ['l'] }))] }),
    sound: aPlan([aClaim(['p'], { instanceTypes: ['small'] })]),
    broken: sound,
    says: /does not hold if it becomes large/,
  },
  {
    rule: 'pods tolerate the taints of the pool',
    snapshot: aSnapshot({
      pods: [aPod('p', { tolerations: [{ key: 'team', operator: 'Exists', effect: 'NoExecute' }] })],
      nodePools: [aPool({}, { taints: [{ key: 'team', value: 'x', effect: 'NoExecute' }] })],
    }),
    sound,
    broken: sound,
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', { tolerations: [{ key: 'team', value: 'y' }] })],
      nodePools: [aPool({}, { taints: [{ key: 'team', value: 'x', effect: 'NoExecute' }] })],
    }),
    says: /does not tolerate team=x:NoExecute/,
  },
  {
    rule: 'host ports of two pods differ (B58)',
    snapshot: aSnapshot({ pods: [aPod('p', hostPort(80, '10.0.0.1')), aPod('q', hostPort(80))] }),
    sound: aPlan([aClaim(['p']), aClaim(['q'])]),
    broken: aPlan([aClaim(['p', 'q'])]),
    says: /host port 80 of pod default\/q is in use/,
  },
  {
    rule: 'host ports of a daemon are in use (B58)',
    snapshot: aSnapshot({
      pods: [aPod('p', hostPort(80))],
      daemonSets: [{ metadata: { name: 'd' }, spec: { template: { spec: hostPort(81) } } }],
    }),
    sound,
    broken: sound,
    brokenSnapshot: aSnapshot({
      pods: [aPod('p', hostPort(80))],
      daemonSets: [{ metadata: { name: 'd' }, spec: { template: { spec: hostPort(80) } } }],
    }),
    says: /host port 80 of pod default\/p is in use/,
  },
  {
    rule: 'the cheapest offering is one of the options of the claim',
    snapshot: one,
    sound,
    broken: aPlan([
      aClaim(['p'], { cheapestOffering: { type: 'small', zone: 'a', capacityType: 'spot', price: 0.05 } }),
    ]),
    says: /which is not an option of the claim/,
  },
  {
    rule: 'the cheapest offering is the cheapest (B26)',
    snapshot: one,
    sound,
    broken: aPlan([
      aClaim(['p'], { cheapestOffering: { type: 'large', zone: 'a', capacityType: 'on-demand', price: 0.4 } }),
    ]),
    says: /small, a, on-demand at 0.1 is cheaper/,
  },
  {
    rule: 'of equally cheap offerings the first by name is reported',
    snapshot: one,
    sound,
    broken: aPlan([
      aClaim(['p'], { cheapestOffering: { type: 'small', zone: 'b', capacityType: 'on-demand', price: 0.1 } }),
    ]),
    says: /small, a, on-demand at 0.1 is cheaper or is first by name/,
  },
  {
    rule: 'types are listed cheapest first (B26)',
    snapshot: one,
    sound,
    broken: aPlan([
      aClaim(['p'], {
        instanceTypes: ['large', 'small'],
        cheapestOffering: { type: 'small', zone: 'a', capacityType: 'on-demand', price: 0.1 },
      }),
    ]),
    says: /type small is listed after a more expensive one/,
  },
  {
    rule: 'the total is the sum of the claims',
    snapshot: one,
    sound,
    broken: { ...sound, totalHourlyPrice: 0.2 },
    says: /totalHourlyPrice is 0.2, the sum of the claims is 0.1/,
  },
];

const varied = (policy: string) =>
  aSnapshot({
    pods: [aPod('p')],
    nodePools: [aPool({}, { requirements: [{ key: 'family', operator: 'Exists', minValues: 2 }] })],
    options: { minValuesPolicy: policy },
  });
const familyKept = { requirements: { family: [{ operator: 'Exists' }] } };

const POOLS: readonly Objection[] = [
  {
    rule: 'minValues holds over the types of a claim (B24)',
    snapshot: varied('Strict'),
    sound: aPlan([aClaim(['p'], familyKept)]),
    broken: aPlan([aClaim(['p'], { ...familyKept, instanceTypes: ['small'] })]),
    says: /family has 1 values over its types, minValues is 2/,
  },
  {
    rule: 'minValues may be missed under BestEffort (B24)',
    snapshot: varied('BestEffort'),
    sound: aPlan([aClaim(['p'], { ...familyKept, instanceTypes: ['small'] })]),
    broken: aPlan([aClaim(['p'], { ...familyKept, instanceTypes: ['small'] })]),
    brokenSnapshot: varied('Strict'),
    says: /minValues is 2/,
  },
  {
    rule: 'a limit counts existing nodes and the cheapest type of each claim (B23)',
    snapshot: aSnapshot({
      pods: [aPod('p')],
      nodes: [aNode('n')],
      nodePools: [aPool({ limits: { cpu: '4' } })],
    }),
    sound: aPlan([aClaim(['p'], { instanceTypes: ['small'] })]),
    broken: aPlan([aClaim(['p'], { instanceTypes: ['large'] })]),
    says: /exceeds its limits with the cheapest types: cpu 10 requested, 4 available/,
  },
  {
    rule: 'a limit of nodes counts new claims (B23)',
    snapshot: aSnapshot({ pods: [aPod('p'), aPod('q')], nodePools: [aPool({ limits: { nodes: '1' } })] }),
    sound: aPlan([aClaim(['p', 'q'])]),
    broken: aPlan([aClaim(['p']), aClaim(['q'])]),
    says: /nodes 2 requested, 1 available/,
  },
  {
    rule: 'a limit that the largest type would break is a broken promise',
    snapshot: aSnapshot({ pods: [aPod('p')], nodePools: [aPool({ limits: { cpu: '4' } })] }),
    sound: aPlan([aClaim(['p'], { instanceTypes: ['small'] })]),
    broken: sound,
    says: /^promise: NodePool pool may exceed its limits with the largest types: cpu 8 requested, 4 available/,
  },
];

describe('answers', () => testObjections(ANSWERS));
describe('new claims', () => testObjections(CLAIMS));
describe('pools', () => testObjections(POOLS));

test('two plans differ in the pods that only one places, and in price', () => {
  const ours = aPlan([aClaim(['p'])], { podErrors: { 'default/q': '' } });
  const theirs = aPlan([aClaim(['p', 'q'], { instanceTypes: ['large'] })]);
  const { onlyTheirs, onlyOurs, priceRatio } = comparePlans(ours, theirs);
  expect({ onlyTheirs, onlyOurs, priceRatio }).toEqual({ onlyTheirs: ['default/q'], onlyOurs: [], priceRatio: 0.25 });
});
