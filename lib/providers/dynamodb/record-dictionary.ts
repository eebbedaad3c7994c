/**
 * The preset dictionary with which records of NodeClaims are compressed: names and texts that most of them have. It never changes,
 * because stored records could not be read with another one; `test/providers/dynamodb/record-dictionary.test.ts` holds it. A record
 * with other names, for example of instance types that are newer, is only larger.
 */
import { once } from '../../core/kept-answers.ts';

/** Families of instance types, and the sizes that they have. */
const FAMILIES: readonly (readonly [string, string])[] = [
  ['c5 c5d', '12xlarge 18xlarge 24xlarge 2xlarge 4xlarge 9xlarge large metal xlarge'],
  ['c5a c5ad m5a m5ad r5a r5ad', '12xlarge 16xlarge 24xlarge 2xlarge 4xlarge 8xlarge large xlarge'],
  ['c5n', '18xlarge 2xlarge 4xlarge 9xlarge large metal xlarge'],
  ['c6a m6a r6a', '12xlarge 16xlarge 24xlarge 2xlarge 32xlarge 48xlarge 4xlarge 8xlarge large metal xlarge'],
  [
    'c6g c6gd c7g c7gd c7gn m6g m6gd m7g m7gd r6g r6gd r7g r7gd',
    '12xlarge 16xlarge 2xlarge 4xlarge 8xlarge large medium metal xlarge',
  ],
  ['c6gn', '12xlarge 16xlarge 2xlarge 4xlarge 8xlarge large medium xlarge'],
  [
    'c6i c6id c6in m6i m6id m6idn m6in r6i r6id r6idn r6in',
    '12xlarge 16xlarge 24xlarge 2xlarge 32xlarge 4xlarge 8xlarge large metal xlarge',
  ],
  [
    'c7a m7a r7a',
    '12xlarge 16xlarge 24xlarge 2xlarge 32xlarge 48xlarge 4xlarge 8xlarge large medium metal-48xl xlarge',
  ],
  ['c7i m7i r7i', '12xlarge 16xlarge 24xlarge 2xlarge 48xlarge 4xlarge 8xlarge large metal-24xl metal-48xl xlarge'],
  ['c7i-flex c8i-flex m7i-flex m8i-flex r8i-flex', '12xlarge 16xlarge 2xlarge 4xlarge 8xlarge large xlarge'],
  [
    'c8a c8g c8gb c8gd c8gn m8a m8g m8gb m8gd m8gn r8a r8g r8gb r8gd r8gn',
    '12xlarge 16xlarge 24xlarge 2xlarge 48xlarge 4xlarge 8xlarge large medium metal-24xl metal-48xl xlarge',
  ],
  [
    'c8i c8ib c8id c8in m8i m8ib m8id m8idb m8idn m8in r8i r8ib r8id r8idb r8idn r8in',
    '12xlarge 16xlarge 24xlarge 2xlarge 32xlarge 48xlarge 4xlarge 8xlarge 96xlarge large metal-48xl metal-96xl xlarge',
  ],
  ['c8ine m8ine', '12xlarge 2xlarge 4xlarge 8xlarge large xlarge'],
  [
    'c9g c9gd m9g m9gd r9g r9gd',
    '12xlarge 16xlarge 24xlarge 2xlarge 48xlarge 4xlarge 8xlarge large medium metal-48xl xlarge',
  ],
  ['m5 m5d m5dn m5n r5 r5b r5d r5dn r5n', '12xlarge 16xlarge 24xlarge 2xlarge 4xlarge 8xlarge large metal xlarge'],
  ['m5zn', '12xlarge 2xlarge 3xlarge 6xlarge large metal xlarge'],
  ['m8azn', '12xlarge 24xlarge 3xlarge 6xlarge large medium metal-12xl metal-24xl xlarge'],
  ['r7iz', '12xlarge 16xlarge 2xlarge 32xlarge 4xlarge 8xlarge large metal-16xl metal-32xl xlarge'],
  ['t3 t3a t4g', '2xlarge large medium micro nano small xlarge'],
  ['t8i', 'medium micro nano small'],
];

/** The sizes of which most NodePools have one. */
const SIZES = ['16xlarge', '8xlarge', '4xlarge', '2xlarge', 'xlarge', 'large'] as const;

/** Parts of a record, in the order of its fields. What is most frequent is last, because near matches are shorter. */
const TEXTS = [
  '"limits":{"nodes":"bufferPods":["static":true"overlays":["weight":"deletion":{"reason":"expired","message":"","requestedAtMs":176',
  '"underutilized""drifted""empty""spot_interrupted""unhealthy""deadlineMs":"drainStartedAtMs":"drainedAtMs":"volumesDetachedAtMs":',
  '"terminateRequestedAtMs":"evictionsRefused":{"sinceMs":"never":{"releasedAtMs":176"nodeLostAtMs":"drift":{"reason":"command":"',
  '"launch":{"kind":"requested","attempt":1,"request":{"clientToken":"templates":[{"launch":{"kind":"planned"}"kind":"refused"',
  '"startupTaints":[{"key":"effect":"NoSchedule"}],"taints":[{"key":"value":"effect":"NoExecute"}"terminationGracePeriod":"',
  '"operator":"NotIn","values":["operator":"Exists"}"operator":"Gt","values":["operator":"Lt","values":["operator":"Lte","values":["minValues":',
  'us-east-1a","us-east-1b","us-east-1c","us-east-2a","us-west-2a","us-west-2b","us-west-2c","eu-west-1a","eu-central-1a","ap-southeast-1a"',
  '{"key":"karpenter.k8s.aws/instance-family","operator":"In","values":["{"key":"karpenter.k8s.aws/instance-size","operator":"In","values":["',
  '{"key":"kubernetes.io/os","operator":"In","values":["linux"]},"holds":{"cpu":2000,"memory":"nvidia.com/gpu":1,"cpu":4000,"cpu":16000,',
  '{"cluster":"","name":"general-","version":2,"decisionId":"provisioning-","nodePool":"default","nodePool":"general","nodePoolUid":"',
  '"labels":{"karpenter.sh/nodepool":"default","karpenter.k8s.aws/ec2nodeclass":"default"},"annotations":{"karpenter.sh/nodepool-hash":"',
  '"karpenter.sh/nodepool-hash-version":"kerf-3","karpenter.k8s.aws/ec2nodeclass-hash":"","karpenter.k8s.aws/ec2nodeclass-hash-version":"',
  '","karpenter.sh/nodeclaim-min-values-relaxed":"false","karpenter.k8s.aws/instance-profile-name":"","karpenter.k8s.aws/tagged":"true"},',
  '"spec":{"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"},"requirements":[{"key":"',
  'karpenter.k8s.aws/ec2nodeclass","operator":"In","values":["default"]},{"key":"karpenter.k8s.aws/instance-category","operator":"In",',
  '"values":["c","m","r"]},{"key":"karpenter.k8s.aws/instance-cpu","operator":"In","values":["4","8","16"]},{"key":"',
  'karpenter.k8s.aws/instance-generation","operator":"Gte","values":["5"]},{"key":"karpenter.sh/capacity-type","operator":"In","values":["',
  'on-demand","reserved","spot"]},{"key":"karpenter.sh/nodepool","operator":"In","values":["default"]},{"key":"kubernetes.io/arch",',
  '"operator":"In","values":["amd64","arm64"]},{"key":"node.kubernetes.io/instance-type","operator":"In","values":["',
  '{"key":"topology.kubernetes.io/zone","operator":"In","values":["us-east-1a","us-east-1b","us-east-1c"]}],"resources":{"requests":{"cpu":"',
  '150m","memory":"1024Mi","pods":"10"}},"expireAfter":"720h"},"createdAtMs":176,"pods":["default/","kube-system/"],"options":[],"types":[],',
  '"holds":{"cpu":8000,"memory":16106127360,"ephemeral-storage":21474836480,"pods":58,"vpc.amazonaws.com/pod-eni":38},"allocatable":{"cpu":7910,',
  '"memory":14788067328,"ephemeral-storage":18253611008,"pods":58,"vpc.amazonaws.com/pod-eni":38},"launch":{"kind":"launched","attempt":1,',
  '"instance":{"id":"i-0","instanceType":"","zone":"us-east-1a","capacityType":"on-demand","capacityType":"spot","imageId":"ami-0',
  '","priceUsdPerHour":0.0},"atMs":176},"expectedNodeName":"ip-10-0-.ec2.internal","nodeName":"ip-10-0-.us-east-1.compute.internal",',
  '"registeredAtMs":176,"initializedAtMs":176,"podsSeen":"","lastPodEventAtMs":176',
];

/** *Units:* at most 32 KB, the window of deflate. */
export const recordDictionary = once((): Uint8Array => {
  const names = FAMILIES.flatMap(([families, sizes]) =>
    families.split(' ').map((family) => sizes.split(' ').map((size) => `${family}.${size}`)),
  );
  const bySize = SIZES.map((size) => names.flat().filter((name) => name.endsWith(`.${size}`)));
  const lists = [...names, ...bySize].map((list) => list.join('","'));
  return Buffer.from([...lists, ...TEXTS].join('","'));
});
