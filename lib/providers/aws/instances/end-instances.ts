import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { NotOwnedError } from '../../../ports/errors.ts';
import { callExcludingRefused, type PartialAnswers } from '../client/call-excluding-refused.ts';
import { awsPortError, isUnknownInstance, translated } from '../client/errors.ts';
import { describeInstances, type InstanceReader } from './instances.ts';

interface InstanceEnder extends InstanceReader {
  /**
   * The last errors of the instances that EC2 refused to terminate, the oldest first. Each of them has a call of its own, so that it fails
   * no others: EC2 refuses a call for one instance, and often names only one. @default none
   */
  readonly refusedLast?: Map<string, unknown>;
}

/** In one run, beside the calls for the other instances. The next run continues with those that were tried longest ago. */
const MAX_SINGLE_CALLS = 32;

/**
 * Terminates instances of the cluster. Promise 4: reads them first; one without the ownership tags has a NotOwnedError. One that is
 * shutting down counts as gone (C55). *Shape:* the errors by id. *Errors:* those of a whole call.
 */
export async function endInstances(
  ender: InstanceEnder,
  cluster: string,
  instanceIds: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const { refusedLast = new Map<string, unknown>() } = ender;
  const found = await describeInstances(ender, cluster, instanceIds);
  const running = found.filter(({ state }) => state !== 'shutting-down' && state !== 'terminated');
  const ids = new Set(running.filter(({ untagged }) => untagged === undefined).map(({ id }) => id));
  for (const id of instanceIds) if (!ids.has(id)) refusedLast.delete(id);
  const known = [...refusedLast.keys()].filter((id) => ids.has(id));
  const others = [...ids].filter((id) => !refusedLast.has(id));
  const { refused, unclear } = await endTogether(ender, cluster, others);
  for (const [id, thrown] of refused) if (!unclear.has(id)) refusedLast.set(id, thrown);
  for (const id of known.slice(0, MAX_SINGLE_CALLS)) {
    const again = await endTogether(ender, cluster, [id]);
    refusedLast.delete(id);
    for (const [, thrown] of again.refused) refusedLast.set(id, thrown);
  }
  const stillRefused = known.flatMap((id) => (refusedLast.has(id) ? [[id, refusedLast.get(id)] as const] : []));
  const failed = [...refused, ...stillRefused].filter(([, thrown]) => !isUnknownInstance(thrown));
  return new Map([
    ...running.filter(({ id }) => !ids.has(id)).map(({ id }) => [id, notOwned(id, cluster)] as const),
    ...failed.map(([id, thrown]) => [id, awsPortError(thrown, `terminate ${id}`)] as const),
  ]);
}

function notOwned(id: string, cluster: string): NotOwnedError {
  return new NotOwnedError(
    `terminate ${id}: it runs without the ownership tags of cluster ${cluster}: add the tags, or terminate it`,
  );
}

async function endTogether(
  { client }: InstanceReader,
  cluster: string,
  ids: readonly string[],
): Promise<PartialAnswers<unknown>> {
  const doing = ids.length === 1 ? `terminate ${ids[0]}` : `terminate ${ids.length} instances of ${cluster}`;
  return translated(doing, () =>
    callExcludingRefused(doing, ids, async (InstanceIds) =>
      client.send(new TerminateInstancesCommand({ InstanceIds: [...InstanceIds] })),
    ),
  );
}
