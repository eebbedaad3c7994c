import { type Case, expectProblems } from './expect-problems.ts';
import { edit, NODE_CLASS } from './texts.ts';

const nodeClass = (from: string, to: string): string => edit(NODE_CLASS, from, to);

const NODE_CLASSES: readonly Case[] = [
  [nodeClass('  role: KarpenterNodeRole\n', ''), 5, 'spec.role', 'is missing, and so is instanceProfile'],
  [
    nodeClass('  role: KarpenterNodeRole\n', '  role: a\n  instanceProfile: b\n'),
    7,
    'spec.instanceProfile',
    'stands beside role',
  ],
  [nodeClass('role: KarpenterNodeRole', 'role: ""'), 6, 'spec.role', '"" is too short'],
  [
    nodeClass('    - alias: al2023@latest\n', ''),
    7,
    'spec.amiSelectorTerms',
    'is missing; write which images to launch',
  ],
  [
    nodeClass('\n    - alias: al2023@latest\n', ' []\n'),
    7,
    'spec.amiSelectorTerms',
    'has no entry; write which images to launch, such as [{alias: al2023@latest}]',
  ],
  [nodeClass('  amiSelectorTerms:\n    - alias: al2023@latest\n', ''), 5, 'spec.amiSelectorTerms', 'is missing'],
  [nodeClass('alias: al2023@latest', 'alias: al2023'), 8, 'spec.amiSelectorTerms[0].alias', 'family@version'],
  [nodeClass('alias: al2023@latest', 'alias: ubuntu@latest'), 8, 'spec.amiSelectorTerms[0].alias', 'family@version'],
  [nodeClass('alias: al2023@latest', 'alias: windows2022@v1'), 8, 'spec.amiSelectorTerms[0].alias', 'family@version'],
  [
    nodeClass('alias: al2023@latest', 'alias: al2023@latest\n      name: x'),
    8,
    'spec.amiSelectorTerms[0].alias',
    '"al2023@latest" stands beside id, tags, name or owner; write alias alone in its term',
  ],
  [
    nodeClass('alias: al2023@latest', 'alias: al2023@latest\n    - id: ami-1'),
    8,
    'spec.amiSelectorTerms[0]',
    'has an alias and is one of several terms; write an alias as the only term',
  ],
  [
    nodeClass('alias: al2023@latest', 'id: ami-0a'),
    5,
    'spec.amiFamily',
    'is missing, and no amiSelectorTerm has an alias',
  ],
  [nodeClass('alias: al2023@latest', 'owner: self'), 8, 'spec.amiSelectorTerms[0]', 'selects nothing'],
  [
    nodeClass('  amiSelectorTerms', '  amiFamily: AL2\n  amiSelectorTerms'),
    6 + 1,
    'spec.amiFamily',
    '"AL2" is not the family of the alias',
  ],
  [
    nodeClass('  amiSelectorTerms', '  amiFamily: Ubuntu\n  amiSelectorTerms'),
    7,
    'spec.amiFamily',
    'write one of AL2, AL2023',
  ],
  [
    nodeClass('  subnetSelectorTerms:\n    - tags: {karpenter.sh/discovery: demo}', '  subnetSelectorTerms: []'),
    9,
    'spec.subnetSelectorTerms',
    'has no entry; write which subnets to launch in, such as [{tags:',
  ],
  [
    nodeClass('    - tags: {karpenter.sh/discovery: demo}', '    - id: vpc-1'),
    10,
    'spec.subnetSelectorTerms[0].id',
    'a subnet id',
  ],
  [
    nodeClass('    - tags: {karpenter.sh/discovery: demo}', '    - {}'),
    10,
    'spec.subnetSelectorTerms[0]',
    'selects nothing',
  ],
  [
    nodeClass('    - tags: {karpenter.sh/discovery: demo}', '    - {id: subnet-1, tags: {a: b}}'),
    9,
    'spec.subnetSelectorTerms',
    'has id beside tags in every term; write id alone in its term',
  ],
  [
    nodeClass('    - tags: {karpenter.sh/discovery: demo}', '    - tags: {a: ""}'),
    10,
    'spec.subnetSelectorTerms[0].tags.a',
    'not empty',
  ],
  [
    nodeClass('{team: web}', '{karpenter.sh/nodepool: a}'),
    13,
    'spec.tags["karpenter.sh/nodepool"]',
    'is a tag that Karpenter sets itself; write another tag',
  ],
  [nodeClass('{team: web}', '{team: 1}'), 13, 'spec.tags.team', 'in quotes'],
  [nodeClass('  tags:', '  instanceStorePolicy: RAID1\n  tags:'), 13, 'spec.instanceStorePolicy', 'write RAID0'],
  [
    nodeClass('  tags:', '  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 100}}]\n  tags:'),
    13,
    'spec.blockDeviceMappings[0].ebs.volumeSize',
    '100 is a number',
  ],
  [
    nodeClass('  tags:', '  blockDeviceMappings: [{ebs: {volumeSize: 60000Gi}}]\n  tags:'),
    13,
    'spec.blockDeviceMappings[0].ebs.volumeSize',
    'at most 59000Gi',
  ],
  [
    nodeClass('  tags:', '  blockDeviceMappings: [{ebs: {volumeType: gp3}}]\n  tags:'),
    13,
    'spec.blockDeviceMappings[0].ebs',
    'neither volumeSize nor snapshotID',
  ],
  [nodeClass('  tags:', '  kubelet: {maxPod: 10}\n  tags:'), 13, 'spec.kubelet.maxPod', 'did you mean maxPods?'],
  [nodeClass('  tags:', '  kubelet: {maxPods: many}\n  tags:'), 13, 'spec.kubelet.maxPods', 'a whole number'],
  [
    nodeClass('  tags:', '  kubelet: {systemReserved: {gpu: "1"}}\n  tags:'),
    13,
    'spec.kubelet.systemReserved.gpu',
    'one of cpu, memory',
  ],
  [
    nodeClass('  tags:', '  kubelet: {systemReserved: {cpu: 1}}\n  tags:'),
    13,
    'spec.kubelet.systemReserved.cpu',
    'cannot be 1; write it in quotes: "1"',
  ],
  [
    nodeClass('  tags:', '  kubelet: {evictionHard: {memory.available: 5}}\n  tags:'),
    13,
    'spec.kubelet.evictionHard["memory.available"]',
    'in quotes',
  ],
  [
    nodeClass('  tags:', '  kubelet: {evictionHard: {memory.available: 101%}}\n  tags:'),
    13,
    'spec.kubelet.evictionHard["memory.available"]',
    'no threshold',
  ],
  [
    nodeClass('  tags:', '  kubelet: {evictionSoft: {memory.available: 5%}}\n  tags:'),
    13,
    'spec.kubelet.evictionSoftGracePeriod["memory.available"]',
    'is missing',
  ],
  [
    nodeClass('  tags:', '  metadataOptions: {httpTokens: maybe}\n  tags:'),
    13,
    'spec.metadataOptions.httpTokens',
    'required, optional',
  ],
  [
    nodeClass('  subnetSelectorTerms:\n    - tags: {karpenter.sh/discovery: demo}\n', ''),
    5,
    'spec.subnetSelectorTerms',
    'is missing; write which subnets',
  ],
  [
    nodeClass('alias: al2023@latest', 'alias: al2023@v1@v2'),
    8,
    'spec.amiSelectorTerms[0].alias',
    'is not family@version; write one @',
  ],
  [nodeClass('  tags:', '  tagz: {a: b}\n  tags:'), 13, 'spec.tagz', 'did you mean tags?; write tags'],
  [nodeClass('  tags:', '  subnetSelector: {a: b}\n  tags:'), 13, 'spec.subnetSelector', 'spec.subnetSelectorTerms'],
];

expectProblems('a broken EC2NodeClass is a problem with its line and field', NODE_CLASSES);
