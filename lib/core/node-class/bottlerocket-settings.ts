import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { kubeletLabels, type NodeIntroduction, registrationTaints } from './node-introduction.ts';

/**
 * What Bottlerocket makes a node from (C71): its settings, as TOML.
 * *Source:* Bottlerocket's documentation of `settings.kubernetes`.
 */
export function bottlerocketSettings(nodeClass: EC2NodeClass, node: NodeIntroduction): string {
  const { clusterName, endpoint, certificateAuthority } = node.bootstrap;
  const { maxPods } = nodeClass.spec.kubelet ?? {};
  const taints = Map.groupBy(registrationTaints(node.taints), (taint) => taint.key);
  return [
    '[settings.kubernetes]',
    `cluster-name = ${quoted(clusterName)}`,
    `api-server = ${quoted(endpoint)}`,
    `cluster-certificate = ${quoted(certificateAuthority)}`,
    ...(typeof maxPods === 'number' ? [`max-pods = ${maxPods}`] : []),
    '[settings.kubernetes.node-labels]',
    ...kubeletLabels(node.labels).map(([key, value]) => `${quoted(key)} = ${quoted(value)}`),
    '[settings.kubernetes.node-taints]',
    ...[...taints].map(
      ([key, all]) =>
        `${quoted(key)} = [${all.map((taint) => quoted(`${taint.value ?? ''}:${taint.effect}`)).join(', ')}]`,
    ),
    '',
  ].join('\n');
}

/** A TOML basic string: JSON escapes the same characters. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
