import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import { instanceIdOf } from '../../core/model/node-claim-record.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { HeldObject, Installation } from '../../ports/installation.ts';
import type { HeldObjects } from './held-by-kerf.ts';

interface LetGo {
  /** Karpenter needs the finalizers, and finishes the drains: only the taints of nodes are removed. */
  readonly isOfKarpenter: boolean;
  /** Makes one change. Its failure is reported, and does not stop the others. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>;
}

/**
 * Removes Kerf's finalizers. A node that drains keeps its finalizer, and so does its NodeClaim: a later
 * installation of Kerf or Karpenter continues the drain. The failure of such a node has the commands that finish it by hand.
 */
export async function letGoOfHeld(
  installation: Installation,
  { free, draining }: HeldObjects,
  { isOfKarpenter, attempt }: LetGo,
): Promise<void> {
  const letGo = async (object: HeldObject, keepsFinalizer: boolean): Promise<void> => {
    await attempt(async () => {
      const outcome = await installation.letGo(object, { keepsFinalizer });
      const isReported = object.kind === 'NodeClaim' && draining.includes(object);
      if (outcome === 'released' || isOfKarpenter || isReported) return;
      throw new RefusedError(whatToDo(object, [...free, ...draining]));
    });
  };
  if (isOfKarpenter) {
    for (const node of [...free, ...draining].filter(({ kind }) => kind === 'Node')) await letGo(node, true);
    return;
  }
  for (const object of draining) await letGo(object, true);
  for (const object of free) await letGo(object, false);
}

function whatToDo({ kind, name, providerId }: HeldObject, all: readonly HeldObject[]): string {
  const pair = all.filter((one) => one.kind !== 'EC2NodeClass' && one.providerId === providerId);
  const drains = pair.flatMap((one) =>
    one.kind === 'Node' ? [`kubectl drain ${one.name} --ignore-daemonsets --delete-emptydir-data; `] : [],
  );
  const instance = instanceIdOf(providerId) ?? 'unknown';
  const edits = pair.map((one) => `kubectl edit ${one.kind.toLowerCase()} ${one.name}`);
  return (
    `${kind} ${name} of instance ${instance} is being deleted and keeps the finalizer ${TERMINATION_FINALIZER}: without it, ` +
    'its pods would end without an eviction while the instance runs on. Install Kerf or Karpenter again, which continues the drain, or ' +
    `finish it by hand: ${drains.join('')}aws ec2 terminate-instances --instance-ids ${instance}; ` +
    `then remove the finalizer: ${edits.join('; ')}`
  );
}
