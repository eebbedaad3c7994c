import type { Cluster } from '../cluster.ts';
import type { ExistingNode } from '../existing-nodes.ts';
import { hostPortsOf, requestsOf } from '../pod-demands.ts';
import type { RawPlan, RawPod } from '../raw-documents.ts';
import { lessThan, shortageOf, sumOf } from '../raw-quantity.ts';
import { portClashes } from './check-claims.ts';
import { checkPodOnNode } from './check-pod-on-node.ts';

/** Checks pods on existing nodes. */
export function checkExisting(cluster: Cluster, plan: RawPlan): readonly string[] {
  const added = new Map<string, RawPod[]>();
  for (const { node, pods } of plan.existing ?? []) {
    const before = added.get(node) ?? [];
    before.push(...pods.flatMap((name) => cluster.pods.get(name) ?? []));
    added.set(node, before);
  }
  return [...added].flatMap(([name, pods]) => {
    const node = cluster.nodes.get(name);
    return node === undefined || pods.length === 0
      ? []
      : checkNode(cluster, node, pods).map((fault) => `node ${name}: ${fault}`);
  });
}

function checkNode(cluster: Cluster, node: ExistingNode, pods: readonly RawPod[]): readonly string[] {
  const { labels, taints, name, allocatable } = node;
  const missing = cluster.daemons.filter((daemon) => daemon.runsOn(node) && !node.pods.some(daemon.owns));
  const requests = [...node.pods.map(requestsOf), ...missing.map((daemon) => daemon.requests)];
  const shortage = shortageOf(sumOf(...pods.map(requestsOf)), lessThan(allocatable, sumOf(...requests)));
  const ports = [...node.pods.flatMap((pod) => hostPortsOf(pod.spec)), ...missing.flatMap((daemon) => daemon.ports)];
  return [
    ...(node.deleting ? ['it is being deleted and must not get pods'] : []),
    ...pods.flatMap((pod) => checkPodOnNode(cluster, pod, { labels, taints, nodeName: name })),
    ...(shortage === undefined ? [] : [`its pods do not fit beside its running pods and daemons: ${shortage}`]),
    ...portClashes(pods, ports),
    ...checkVolumeLimits(cluster, node, pods),
  ];
}

/** B44: a volume that two pods share is attached once. */
function checkVolumeLimits(cluster: Cluster, node: ExistingNode, pods: readonly RawPod[]): readonly string[] {
  const csi = cluster.snapshot.csiNodes?.find(({ metadata }) => metadata.name === node.name);
  const attachedTo = (some: readonly RawPod[], driver: string) =>
    new Set(
      some
        .flatMap((pod) => cluster.volumesOf(pod).attached)
        .filter((one) => one.driver === driver)
        .map(({ handle }) => handle),
    ).size;
  return (csi?.spec.drivers ?? []).flatMap(({ name: driver, allocatable }) => {
    const count = allocatable?.count;
    const before = attachedTo(node.pods, driver);
    const after = attachedTo([...node.pods, ...pods], driver);
    return count === undefined || after <= count || after === before
      ? []
      : [`${after} volumes of ${driver}, ${count} can be attached`];
  });
}
