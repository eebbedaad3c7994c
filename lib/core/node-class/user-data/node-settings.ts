import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { isQuantity } from '../../../apis/formats/quantity.ts';
import { quote } from '../../../apis/formats/quote.ts';
import type { KubeletConfiguration } from '../../../apis/kubelet-configuration.ts';
import type { Labels, Taint } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import type { ClusterBootstrap } from '../../model/cluster-bootstrap.ts';
import type { TypeKubelet } from '../../model/instance-type.ts';
import { clusterDnsOf } from './cluster-dns.ts';
import type { NodeParameters } from './node-introduction.ts';
import { type Refused, refused } from './rendered.ts';

/** The settings of a node, independent of the format of its AMI family, with all expressions evaluated. */
export interface NodeSettings {
  readonly bootstrap: ClusterBootstrap;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** The kubelet configuration of the NodeClass, with expressions replaced by their values for the type (A3.17). */
  readonly kubelet: KubeletConfiguration & { readonly maxPods?: number };
  /** The DNS address of the NodeClass, else of the cluster (C75); undefined where neither is known. */
  readonly clusterDns: string | undefined;
  readonly joinDisks: boolean;
}

export type NodeSettingsResult = { readonly kind: 'settled'; readonly settings: NodeSettings } | Refused;

/** Computes the settings of a node. *Errors:* refused where an expression of the NodeClass has no value for its type (A3.17). */
export function resolveNodeSettings(nodeClass: EC2NodeClass, node: NodeParameters): NodeSettingsResult {
  const { maxPods, ...kubelet } = withTypeValues(withoutEmptyDns(nodeClass.spec.kubelet ?? {}), node.kubelet);
  if (typeof maxPods === 'string') return unsettled('maxPods', maxPods);
  for (const field of ['kubeReserved', 'systemReserved'] as const) {
    const expression = Object.entries(kubelet[field] ?? {}).find(([, amount]) => !isQuantity(amount));
    if (expression !== undefined) return unsettled(`${field}.${expression[0]}`, expression[1]);
  }
  return {
    kind: 'settled',
    settings: {
      bootstrap: node.bootstrap,
      labels: node.labels,
      taints: node.taints,
      kubelet: maxPods === undefined ? kubelet : { ...kubelet, maxPods },
      clusterDns: kubelet.clusterDNS?.[0] ?? clusterDnsOf(node.bootstrap.serviceCidr),
      joinDisks: nodeClass.spec.instanceStorePolicy === 'RAID0',
    },
  };
}

/** C75: with an empty list, pods would have the DNS of the node, and not that of the cluster. */
function withoutEmptyDns(kubelet: KubeletConfiguration): KubeletConfiguration {
  const { clusterDNS, ...others } = kubelet;
  return clusterDNS?.length === 0 ? others : kubelet;
}

/** Merges the values by key: an expression for one resource does not change the amounts of others. */
function withTypeValues(kubelet: KubeletConfiguration, type: TypeKubelet = {}): KubeletConfiguration {
  const { maxPods, kubeReserved, systemReserved } = type;
  return {
    ...kubelet,
    ...optional({ maxPods }),
    ...(kubeReserved === undefined ? {} : { kubeReserved: { ...kubelet.kubeReserved, ...kubeReserved } }),
    ...(systemReserved === undefined ? {} : { systemReserved: { ...kubelet.systemReserved, ...systemReserved } }),
  };
}

function unsettled(field: string, expression: string): Refused {
  const message = `kubelet.${field} ${quote(expression)} has no value for the instance type; write an amount`;
  return refused('KubeletExpressionEvaluationFailed', message);
}
