import { BadInputError } from '../../apis/bad-input-error.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { shippedCatalogue } from '../../catalogue/figures.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceTypesFor } from '../../core/instance-type/resolve.ts';
import { PLAIN_NODE_CLASS } from '../../core/node-class/plain-node-class.ts';
import { type QuotaUse, quotaUses, USUAL_QUOTAS } from '../../core/node-pool/vcpu-quotas.ts';
import type { AccountReader } from '../../ports/doctor.ts';
import type { Finding } from './finding.ts';
import { checkFunctionUrls, checkLambda, checkVcpuQuotas } from './quota-checks.ts';
import type { Readings } from './readings.ts';

export interface Launching {
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
}

/** The quotas of EC2 that the NodePools need, and the concurrency and the Function URL of Lambda that a deploy needs. */
export async function quotaFindings(
  readings: Readings,
  account: AccountReader,
  launching: Launching,
): Promise<readonly Finding[]> {
  const uses = usesOf(launching, account.region);
  const [vcpus, lambda] = await Promise.all([
    readings.read('vcpu quotas', async () =>
      checkVcpuQuotas(uses, await account.vcpuQuotas(uses.map(({ quota }) => quota.code))),
    ),
    readings.read('lambda', async () => checkLambda(await account.lambdaConcurrency())),
  ]);
  return [...(vcpus ?? []), ...(lambda === undefined ? [] : [lambda]), ...checkFunctionUrls(account.region)];
}

/** The instance types are the bundled ones of the region: an unknown region has the quotas of the standard families. */
function usesOf({ nodePools, nodeClasses }: Launching, region: string): readonly QuotaUse[] {
  const catalogue = nodePools.length === 0 ? undefined : catalogueOf(region);
  if (catalogue === undefined) return USUAL_QUOTAS;
  const classes = new Map(nodeClasses.map((one) => [one.metadata.name, one]));
  const typesOf = ({ spec }: NodePool) =>
    instanceTypesFor(catalogue, classes.get(spec.template.spec.nodeClassRef.name) ?? PLAIN_NODE_CLASS);
  const uses = quotaUses(nodePools, typesOf);
  return uses.length === 0 ? USUAL_QUOTAS : uses;
}

function catalogueOf(region: string): Catalogue | undefined {
  try {
    return shippedCatalogue({ region, because: 'the region of the cluster' });
  } catch (error) {
    if (error instanceof BadInputError) return undefined;
    throw error;
  }
}
