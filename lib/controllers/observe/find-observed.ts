/** Lookups in the lists that the claims of a run share. With 1,000 claims, a search of the list for each claim takes longer than the reads. */
import type { NodeClaim } from '../../apis/node-claim.ts';
import { firstBy } from '../../core/first-by.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';

export const nodeClaimNamed: (claims: readonly NodeClaim[], name: string) => NodeClaim | undefined = firstBy<NodeClaim>(
  ({ metadata }) => metadata.name,
);

/** Whether the instance neither ends nor has ended. */
export function isAlive({ state }: DescribedInstance): boolean {
  return state !== 'shutting-down' && state !== 'terminated';
}

export const instanceWithId: (
  instances: readonly DescribedInstance[],
  id: string | undefined,
) => DescribedInstance | undefined = firstBy<DescribedInstance>(({ id }) => id);

export const instanceTaggedWith: (
  instances: readonly DescribedInstance[],
  nodeClaim: string,
) => DescribedInstance | undefined = firstBy<DescribedInstance>(({ nodeClaim }) => nodeClaim);
