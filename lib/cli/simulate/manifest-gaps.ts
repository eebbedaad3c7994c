import { BadInputError } from '../../apis/bad-input-error.ts';
import type { ClusterManifests } from '../../apis/cluster-manifests.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { isStatic, type NodePool } from '../../apis/node-pool.ts';
import { leftOutOfNodePool, leftOutOfSelector } from '../../manifests/lint/left-out.ts';
import { listNames } from '../../manifests/lint/values/words.ts';
import type { ParsedManifests } from '../../manifests/read/read-manifests.ts';
import { type StandIn, standInClasses } from '../../manifests/read/stand-in-classes.ts';

const EXAMPLE = 'examples/demo/cluster.yaml has one';

/** The manifests with a plain EC2NodeClass for each one that NodePools use and no file has. */
export function withStandIns<T extends ClusterManifests>(manifests: T): T {
  const standIns = standInClasses(manifests).map(({ nodeClass }) => nodeClass);
  return standIns.length === 0 ? manifests : { ...manifests, nodeClasses: [...manifests.nodeClasses, ...standIns] };
}

/**
 * What the files or the bundled figures lack, and what the simulation does instead. *Shape:* one sentence for each gap. *Errors:*
 * BadInputError if the files have nothing that can be simulated.
 */
export function manifestGaps(read: ParsedManifests): readonly string[] {
  const { ignored: _, ...manifests } = read;
  if (Object.values(manifests).every(({ length }) => length === 0))
    throw new BadInputError(
      `the files have nothing to simulate: add a NodePool and a workload, such as a Deployment (${EXAMPLE})`,
    );
  const { nodePools } = manifests;
  return [
    ...(nodePools.length > 0 ? [] : [`no file has a NodePool, so no node is launched: add a NodePool (${EXAMPLE})`]),
    ...standInClasses(manifests).map(standInGap),
    ...manifests.nodeClasses.flatMap(reservationGap),
    ...nodePools.filter(isStatic).map(staticGap),
    ...nodePools.flatMap((nodePool) => figureGap(`NodePool/${nodePool.metadata.name}`, leftOutOfNodePool(nodePool))),
    ...selectorsOf(manifests).flatMap(([name, selector]) => figureGap(name, leftOutOfSelector(selector))),
  ];
}

/** What stands in for a missing EC2NodeClass, in a sentence. */
export function standInGap({ nodeClass, nodePools }: StandIn): string {
  const users = `NodePool${nodePools.length === 1 ? '' : 's'} ${listNames(nodePools)} ${nodePools.length === 1 ? 'uses' : 'use'}`;
  return `no file has EC2NodeClass/${nodeClass.metadata.name}, which ${users}: a plain AL2023 class stands in for it, with all subnets and security groups`;
}

/** Only EC2 has the instances of a reservation. */
export function reservationGap({ metadata, spec }: EC2NodeClass): readonly string[] {
  if (spec.capacityReservationSelectorTerms === undefined) return [];
  return [
    `EC2NodeClass/${metadata.name} selects capacity reservations, of which only EC2 has the instances: no node is launched into one, and nodes have the prices of other capacity`,
  ];
}

/** Files do not say whether the deployment has the feature gate on, without which their static NodePools would have no nodes. */
export function staticGap({ metadata }: NodePool): string {
  return `NodePool/${metadata.name} has spec.replicas: its nodes are launched as with the setting featureGates.staticCapacity, which is off by default`;
}

function figureGap(name: string, values: readonly string[]): readonly string[] {
  return values.length === 0
    ? []
    : [`${name} asks for ${listNames(values)}: no figures are bundled, so no such node is launched`];
}

function selectorsOf({ deployments, pods }: ClusterManifests): readonly (readonly [name: string, selector: Labels])[] {
  return [
    ...deployments.map(
      (one) => [`Deployment/${one.metadata.name}`, one.spec.template.spec.nodeSelector ?? {}] as const,
    ),
    ...pods.map((one) => [`Pod/${one.metadata.name}`, one.spec.nodeSelector ?? {}] as const),
  ];
}
