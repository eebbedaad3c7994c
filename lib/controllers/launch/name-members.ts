import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { PortError } from '../../ports/errors.ts';
import type { Launches } from '../run/ports.ts';

/** Writes the names of the claims into the tags of their instances. What fails is repeated by a later tick, which reports it. */
export async function nameMembers(
  { cloud }: Launches,
  cluster: string,
  records: readonly NodeClaimRecord[],
): Promise<void> {
  const names = records.flatMap((record) => {
    const instanceId = instanceOf(record)?.id;
    return instanceId === undefined ? [] : [{ instanceId, nodeClaim: record.name }];
  });
  if (names.length === 0) return;
  try {
    await cloud.nameInstances(cluster, names);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
  }
}
