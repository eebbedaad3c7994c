import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { ResolvedNodeClass } from '../../../core/model/resolved-node-class.ts';
import { instanceProfileNameOf } from '../../../core/node-class/instance-profile-name.ts';
import { whyNotStartable } from '../../../core/node-class/user-data/user-data.ts';
import type { NodeClassResolution } from '../../../ports/cloud-provider.ts';
import { found, orRefused, type Part, problem, type ResolveTools } from './resolution.ts';
import { resolveImages } from './resolve-images.ts';
import { resolveSecurityGroups, resolveSubnets } from './resolve-network.ts';
import { resolvePlacementGroup } from './resolve-placement-group.ts';
import { resolveReservations } from './resolve-reservations.ts';

/** A3.27, A3.28: the resources that the selectors find, and all problems. */
export async function resolveNodeClass(tools: ResolveTools, nodeClass: EC2NodeClass): Promise<NodeClassResolution> {
  const [subnets, securityGroups, images, placementGroup, reservations] = await Promise.all([
    orRefused(resolveSubnets(tools, nodeClass)),
    orRefused(resolveSecurityGroups(tools, nodeClass)),
    orRefused(resolveImages(tools, nodeClass)),
    orRefused(resolvePlacementGroup(tools, nodeClass)),
    orRefused(resolveReservations(tools, nodeClass)),
  ]);
  const profile = profileOf(tools, nodeClass);
  const parts = [startable(nodeClass), subnets, securityGroups, images, profile, placementGroup, reservations];
  let all: Partial<ResolvedNodeClass> = { bootstrap: tools.cluster.bootstrap };
  for (const part of parts) all = { ...all, ...part.found };
  const problems = parts.flatMap((part) => part.problems);
  const [first] = problems;
  if (first !== undefined) return { kind: 'unresolved', ...first, problems, found: all };
  if (isComplete(all)) return { kind: 'resolved', nodeClass: all };
  throw new Error(`EC2NodeClass ${nodeClass.metadata.name}: neither found nor missing: ${Object.keys(all).join(', ')}`);
}

function startable(nodeClass: EC2NodeClass): Part {
  const unsupported = whyNotStartable(nodeClass);
  return unsupported === undefined ? found({}) : problem('Unsupported', unsupported);
}

/** Only the name. The function that creates profiles checks that it exists, not every launch (C67). */
function profileOf({ cluster, region }: ResolveTools, nodeClass: EC2NodeClass): Part {
  const instanceProfile = instanceProfileNameOf({ cluster: cluster.bootstrap.clusterName, region }, nodeClass);
  return instanceProfile === undefined
    ? problem(
        'InstanceProfileNotFound',
        `EC2NodeClass ${nodeClass.metadata.name} has neither role nor instanceProfile; set one`,
      )
    : found({ instanceProfile });
}

function isComplete(all: Partial<ResolvedNodeClass>): all is ResolvedNodeClass {
  return (
    all.bootstrap !== undefined &&
    all.subnets !== undefined &&
    all.securityGroups !== undefined &&
    all.images !== undefined &&
    all.instanceProfile !== undefined
  );
}
