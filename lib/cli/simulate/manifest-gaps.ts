import { BadInputError } from '../../apis/bad-input-error.ts';
import type { ClusterManifests } from '../../apis/cluster-manifests.ts';
import { listNames } from '../../manifests/lint/values/words.ts';
import type { ParsedManifests } from '../../manifests/read/read-manifests.ts';
import { type StandIn, standInClasses } from '../../manifests/read/stand-in-classes.ts';
import { printable } from '../render/render-lines.ts';

const EXAMPLE = 'examples/demo/cluster.yaml has one';

/** The manifests with a plain EC2NodeClass for each one that NodePools use and no file has. */
export function withStandIns<T extends ClusterManifests>(manifests: T): T {
  const standIns = standInClasses(manifests).map(({ nodeClass }) => nodeClass);
  return standIns.length === 0 ? manifests : { ...manifests, nodeClasses: [...manifests.nodeClasses, ...standIns] };
}

/** The same for the notes of the summary. */
export function standInRemarks(
  manifests: ClusterManifests,
): readonly { readonly subject: string; readonly text: string }[] {
  return standInClasses(manifests).map(({ nodeClass: { metadata } }) => ({
    subject: `EC2NodeClass ${metadata.name}`,
    text: 'is in none of the files; a plain AL2023 class stands in for it',
  }));
}

/** Warnings about objects that the files lack. *Errors:* BadInputError if the files have nothing that can be simulated. */
export function gapNotes(read: ParsedManifests): readonly string[] {
  const { ignored: _, ...manifests } = read;
  if (Object.values(manifests).every(({ length }) => length === 0))
    throw new BadInputError(
      `the files have nothing to simulate: add a NodePool and a workload, such as a Deployment (${EXAMPLE})`,
    );
  if (manifests.nodePools.length > 0) return standInClasses(manifests).map(standInNote);
  return [`warning: no file has a NodePool, so no node is launched: add a NodePool (${EXAMPLE})`];
}

function standInNote({ nodeClass, nodePools }: StandIn): string {
  const users = nodePools.length === 1 ? 'NodePool %s uses' : 'NodePools %s use';
  return printable(
    `warning: no file has EC2NodeClass/${nodeClass.metadata.name}, which ${users.replace('%s', () => listNames(nodePools))}: a plain AL2023 class stands in for it, with all subnets and security groups`,
  );
}
