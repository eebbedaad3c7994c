import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { callExcludingRefused } from '../client/call-excluding-refused.ts';
import { awsPortError, isUnknownInstance, translated } from '../client/errors.ts';
import { describeOwnInstances, type InstanceReader } from './instances.ts';

/**
 * Terminates instances of the cluster. Promise 4: reads them first; an instance of another owner counts as gone, and so does
 * one that is shutting down (C55). *Shape:* the errors by id. *Errors:* those of the whole call.
 */
export async function endInstances(
  reader: InstanceReader,
  cluster: string,
  instanceIds: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const found = await describeOwnInstances(reader, cluster, instanceIds);
  const ids = found.filter(({ state }) => state !== 'shutting-down').map(({ id }) => id);
  const doing = ids.length === 1 ? `terminate ${ids[0]}` : `terminate ${ids.length} instances of ${cluster}`;
  const { refused } = await translated(doing, () =>
    callExcludingRefused(doing, ids, async (InstanceIds) =>
      reader.client.send(new TerminateInstancesCommand({ InstanceIds: [...InstanceIds] })),
    ),
  );
  const failed = [...refused].filter(([, thrown]) => !isUnknownInstance(thrown));
  return new Map(failed.map(([id, thrown]) => [id, awsPortError(thrown, `terminate ${id}`)]));
}
