import { describe, expect, test } from 'vitest';
import type { CapacityBuffer } from '../../../lib/apis/capacity-buffer.ts';
import type { BlockDeviceMapping, EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { INSTANCE_TYPE as TYPE } from '../../../lib/apis/labels.ts';
import type { NodeOverlay } from '../../../lib/apis/node-overlay.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';
import { capacityBufferAdvice } from '../../../lib/manifests/lint/capacity-buffer.ts';
import { nodeClassAdvice } from '../../../lib/manifests/lint/node-class.ts';
import { nodeOverlayAdvice } from '../../../lib/manifests/lint/node-overlay.ts';
import { shippedFigures } from '../../../lib/manifests/lint/values/shipped-figures.ts';
import { aNodeClass, asking } from '../../builders/node-pools.ts';
import { sentences } from './sentences.ts';

const figures = shippedFigures();

type Case = readonly [rule: string, advice: () => readonly FieldProblem[], expected: readonly string[]];

function overlay(spec: Partial<NodeOverlay['spec']>): readonly FieldProblem[] {
  const metadata = { name: 'dear' };
  const whole = { requirements: [], ...spec };
  return nodeOverlayAdvice(
    { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', metadata, spec: whole },
    figures,
  );
}

function buffer(spec: Partial<CapacityBuffer['spec']>): readonly FieldProblem[] {
  const whole = { provisioningStrategy: 'buffer.x-k8s.io/active-capacity', ...spec };
  const metadata = { name: 'room' };
  return capacityBufferAdvice({
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata,
    spec: whole,
  });
}

function nodeClass(spec: Partial<EC2NodeClass['spec']>): readonly FieldProblem[] {
  return nodeClassAdvice(aNodeClass(spec));
}

function network(networkCardIndex: number) {
  return { networkCardIndex, deviceIndex: networkCardIndex === 0 ? 0 : 1, interfaceType: 'interface' as const };
}

function volume(ebs: NonNullable<BlockDeviceMapping['ebs']>): readonly FieldProblem[] {
  return nodeClass({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs }] });
}

describe('NodeOverlays', () => {
  test.each<Case>([
    [
      'an overlay of nothing has no effect',
      () => overlay({ capacity: {} }),
      [
        'spec: has none of price, priceAdjustment and capacity, so the overlay has no effect; write one of them, such as priceAdjustment: "-10%"',
      ],
    ],
    [
      'an overlay of a type that there is not has no effect',
      () => overlay({ price: '1', requirements: [asking(TYPE, 'In', 'm5.lrage')] }),
      [
        'spec.requirements.0.values: "m5.lrage" is not a known instance type, so the overlay has no effect; write m5.large',
      ],
    ],
    [
      'an overlay of a type and a pool is fine',
      () =>
        overlay({
          price: '1',
          requirements: [asking(TYPE, 'In', 'm5.large'), asking('karpenter.sh/nodepool', 'In', 'a')],
        }),
      [],
    ],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});

describe('CapacityBuffers', () => {
  const podTemplateRef = { name: 'large' };
  const scalableRef = { apiGroup: 'apps', kind: 'Deployment', name: 'web' };
  test.each<Case>([
    [
      'a buffer without a reference keeps no room',
      () => buffer({ replicas: 2 }),
      [
        'spec: has neither podTemplateRef nor scalableRef, so the size of the capacity to keep is unknown; write podTemplateRef, or scalableRef with the kind and name of a workload',
      ],
    ],
    [
      'a buffer of another strategy is left alone',
      () => buffer({ provisioningStrategy: 'example.com/other' }),
      [
        'spec.provisioningStrategy: is "example.com/other": the buffer is ignored, because Kerf supports only one strategy; write buffer.x-k8s.io/active-capacity, or remove it',
      ],
    ],
    [
      'a percentage needs replicas',
      () => buffer({ podTemplateRef: { name: 'large' }, replicas: 2, percentage: 10 }),
      [
        'spec.percentage: is 10, which has no effect: a PodTemplate has no replicas; write replicas instead, or scalableRef instead of podTemplateRef',
      ],
    ],
    [
      'A5.4: only workloads with a pod template can be scaled',
      () => buffer({ scalableRef: { kind: 'CronJob', name: 'web' }, replicas: 2 }),
      [
        'spec.scalableRef.kind: is CronJob, which Kerf does not support, so the buffer stays empty; write one of Deployment, StatefulSet, ReplicaSet',
      ],
    ],
    [
      'a buffer without an amount stays empty',
      () => buffer({ scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' } }),
      ['spec: does not set how much capacity to keep, so the buffer stays empty; write replicas, percentage or limits'],
    ],
    ['pieces of a PodTemplate are fine', () => buffer({ podTemplateRef, replicas: 2 }), []],
    ['a share of a Deployment is fine', () => buffer({ scalableRef, percentage: 10 }), []],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});

describe('EC2NodeClasses', () => {
  test.each<Case>([
    [
      'a placeholder of envsubst is named',
      () => nodeClass({ subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': '${CLUSTER_NAME}' } }] }),
      [
        'spec.subnetSelectorTerms.0.tags.karpenter.sh/discovery: "${CLUSTER_NAME}" contains a placeholder that was not replaced: ${CLUSTER_NAME}; write the value for ${CLUSTER_NAME} before you apply the object',
      ],
    ],
    [
      'a placeholder may be in a key',
      () => nodeClass({ securityGroupSelectorTerms: [{ tags: { 'kubernetes.io/cluster/$CLUSTER': 'owned' } }] }),
      [
        'spec.securityGroupSelectorTerms.0.tags.kubernetes.io/cluster/$CLUSTER: "kubernetes.io/cluster/$CLUSTER" contains a placeholder that was not replaced: $CLUSTER; write the value for $CLUSTER before you apply the object',
      ],
    ],
    [
      'a placeholder of a document is named',
      () => nodeClass({ role: 'KarpenterNodeRole-<<CLUSTER_NAME>>' }),
      [
        'spec.role: "KarpenterNodeRole-<<CLUSTER_NAME>>" contains a placeholder that was not replaced: <<CLUSTER_NAME>>; write the value for <<CLUSTER_NAME>> before you apply the object',
      ],
    ],
    [
      'a placeholder of Helm is named',
      () => nodeClass({ tags: { team: '{{ .Values.team }}' } }),
      [
        'spec.tags.team: "{{ .Values.team }}" contains a placeholder that was not replaced: {{ .Values.team }}; write the value for {{ .Values.team }} before you apply the object',
      ],
    ],
    [
      'user data has its limit',
      () => nodeClass({ userData: `#!/bin/sh\n${'#'.repeat(16 * 1024)}` }),
      [
        'spec.userData: has 16,394 bytes, but EC2 allows at most 16,384; write less, and download the rest from S3 when the node starts',
      ],
    ],
    [
      'C75: user data that leaves less than a tenth of the room has none for what makes a node of the instance',
      () => nodeClass({ userData: `#!/bin/sh\n${'#'.repeat(14_735)}` }),
      [
        'spec.userData: has 14,745 bytes, but EC2 allows at most 16,384, including the script that joins the node to the cluster; write less, and download the rest from S3 when the node starts',
      ],
    ],
    ['C75: a byte less may do', () => nodeClass({ userData: `#!/bin/sh\n${'#'.repeat(14_734)}` }), []],
    [
      'C71: user data that is not TOML makes no node of Bottlerocket',
      () => nodeClass({ amiFamily: 'Bottlerocket', userData: '[settings]\nmotd =' }),
      [
        expect.stringMatching(
          /^spec\.userData: is not valid TOML, which Bottlerocket requires: line 2, .*; write TOML such as \[settings\.kubernetes\]$/,
        ),
      ],
    ],
    [
      'C72: a document of EC2Launch cannot be merged',
      () => nodeClass({ amiFamily: 'Windows2022', userData: 'version: 1.0\ntasks:\n- task: enableOpenSsh' }),
      ['spec.userData: is a YAML document of EC2Launch, which cannot be merged; write PowerShell'],
    ],
    [
      'C72: text beside the script would be lost',
      () => nodeClass({ amiFamily: 'Windows2022', userData: '<powershell>a</powershell>\nsay; write no' }),
      [
        'spec.userData: has "say; write no" outside its <powershell> element, which EC2Launch does not run; write it inside the element',
      ],
    ],
    [
      'C73: the user data of Custom is not checked',
      () => nodeClass({ amiFamily: 'Custom', userData: '[settings]\nmotd =' }),
      [],
    ],
    [
      'C75: to the user data of Custom nothing is added',
      () => nodeClass({ amiFamily: 'Custom', userData: '#'.repeat(16_384) }),
      [],
    ],
    [
      'a node without pods is of no use',
      () => nodeClass({ kubelet: { maxPods: 0 } }),
      [
        'spec.kubelet.maxPods: is 0, so no pod can run on a node of this class, not even a DaemonSet pod; write a number such as 110, or remove it',
      ],
    ],
    [
      'C75: a DNS address that is none is ignored by the kubelet',
      () => nodeClass({ kubelet: { clusterDNS: ['10.100.0.10', 'abc', '10.100.0.256'] } }),
      ['1: "abc"', '2: "10.100.0.256"'].map(
        (address) =>
          `spec.kubelet.clusterDNS.${address} is not an IP address, so pods on nodes of this class cannot resolve the names of Services; write the address of the DNS Service, such as 10.100.0.10, or remove clusterDNS`,
      ),
    ],
    ['a DNS address may be of IPv6', () => nodeClass({ kubelet: { clusterDNS: ['fd12:3456::a', '::1'] } }), []],
    [
      'A3.11: EC2 gives a public address only to an instance with one network interface',
      () => nodeClass({ associatePublicIPAddress: true, networkInterfaces: [network(0), network(1)] }),
      [
        'spec.associatePublicIPAddress: is true, but EC2 refuses to launch instances with a public address and 2 networkInterfaces; write false, or remove it, or keep one network interface',
      ],
    ],
    [
      'A3.11: no public address is fine with several network interfaces',
      () => nodeClass({ associatePublicIPAddress: false, networkInterfaces: [network(0), network(1)] }),
      [],
    ],
    [
      'A3.11: a public address is fine with one network interface',
      () => nodeClass({ associatePublicIPAddress: true, networkInterfaces: [network(0)] }),
      [],
    ],
    ['dollars in user data are those of the shell', () => nodeClass({ userData: '#!/bin/sh\necho ${HOME} $PATH' }), []],
    ['the latest image is a choice', () => nodeClass({ amiSelectorTerms: [{ alias: 'al2023@latest' }] }), []],
    ['a star stands for any value of a tag', () => nodeClass({ subnetSelectorTerms: [{ tags: { team: '*' } }] }), []],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});

describe('volumes that EC2 refuses', () => {
  test.each<Case>([
    [
      'gp3 starts at 3000 iops',
      () => volume({ volumeSize: '20Gi', volumeType: 'gp3', iops: 2000 }),
      ['spec.blockDeviceMappings.0.ebs.iops: is 2000, which is out of range for a gp3 volume; write 3000 to 80000'],
    ],
    [
      'gp3 has 500 iops for each GiB',
      () => volume({ volumeSize: '10Gi', volumeType: 'gp3', iops: 6000 }),
      [
        'spec.blockDeviceMappings.0.ebs.iops: is 6000, but gp3 allows at most 500 per GiB, and the volume has 10Gi; write at most 5000, or a larger volumeSize',
      ],
    ],
    [
      'gp3 has a MiB/s for every four iops',
      () => volume({ volumeSize: '100Gi', volumeType: 'gp3', throughput: 1000 }),
      [
        'spec.blockDeviceMappings.0.ebs.throughput: is 1000 MiB/s, but gp3 needs 4 iops per MiB/s, and the volume has 3000; write at most 750, or iops of 4000',
      ],
    ],
    [
      'gp3 has a most of throughput',
      () => volume({ volumeSize: '100Gi', volumeType: 'gp3', iops: 16000, throughput: 4000 }),
      [
        'spec.blockDeviceMappings.0.ebs.throughput: is 4000 MiB/s, which is out of range for a gp3 volume; write 125 to 2000',
      ],
    ],
    [
      'gp2 takes neither iops nor throughput',
      () => volume({ volumeSize: '100Gi', volumeType: 'gp2', iops: 3000, throughput: 125 }),
      [
        'spec.blockDeviceMappings.0.ebs.iops: is 3000, but EC2 rejects iops for gp2 volumes; write volumeType: gp3, or remove it',
        'spec.blockDeviceMappings.0.ebs.throughput: is 125, but EC2 rejects throughput for gp2 volumes; write volumeType: gp3, or remove it',
      ],
    ],
    [
      'io2 needs its iops',
      () => volume({ volumeSize: '100Gi', volumeType: 'io2' }),
      ['spec.blockDeviceMappings.0.ebs.iops: is missing, but EC2 requires it for io2 volumes; write 100 to 256000'],
    ],
    [
      'st1 starts at 125 GiB',
      () => volume({ volumeSize: '100Gi', volumeType: 'st1' }),
      [
        'spec.blockDeviceMappings.0.ebs.volumeSize: is 100Gi, which is out of range for a st1 volume; write 125Gi to 16384Gi',
      ],
    ],
    [
      'gp3 as it comes is fine',
      () => volume({ volumeSize: '1Gi', volumeType: 'gp3', iops: 3000, throughput: 125 }),
      [],
    ],
    [
      'gp3 at its largest is fine',
      () => volume({ volumeSize: '1Ti', volumeType: 'gp3', iops: 80000, throughput: 2000 }),
      [],
    ],
    ['io1 at 50 iops a GiB is fine', () => volume({ volumeSize: '100Gi', volumeType: 'io1', iops: 5000 }), []],
    ['a volume without a type is what EC2 makes of it', () => volume({ volumeSize: '100Gi', iops: 3000 }), []],
  ])('%s', (_, advice, expected) => {
    expect(sentences(advice())).toEqual(expected);
  });
});
