import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG } from '../../../apis/labels.ts';
import type { InstanceName } from '../../../ports/cloud-provider.ts';
import { awsPortError, isUnknownInstance } from '../client/errors.ts';
import { describeOwnInstances, type InstanceReader } from './instances.ts';
import { ec2Tags } from './tags.ts';

export interface TaggedInstance {
  readonly cluster: string;
  readonly instanceId: string;
  readonly tags: Labels;
}

/** Adds or replaces tags. Promise 4: an instance of another owner counts as gone. */
export async function tagInstance(
  reader: InstanceReader,
  { cluster, instanceId, tags }: TaggedInstance,
): Promise<void> {
  const found = await describeOwnInstances(reader, cluster, [instanceId]);
  if (found.length === 0) return;
  await createTags(reader, instanceId, tags);
}

/** Writes the claims of instances, in order, until a call fails. Promise 4: instances of other owners are left out. */
export async function nameInstances(
  reader: InstanceReader,
  cluster: string,
  names: readonly InstanceName[],
): Promise<void> {
  const ids = names.map(({ instanceId }) => instanceId);
  const own = new Set((await describeOwnInstances(reader, cluster, ids)).map(({ id }) => id));
  const left = names.filter(({ instanceId }) => own.has(instanceId));
  while (left.length > 0) {
    const next = left.splice(0, AT_ONCE);
    await Promise.all(
      next.map(async ({ instanceId, nodeClaim }) => createTags(reader, instanceId, { [NODE_CLAIM_TAG]: nodeClaim })),
    );
  }
}

/** The calls that are made at the same time. */
const AT_ONCE = 10;

async function createTags({ client }: InstanceReader, instanceId: string, tags: Labels): Promise<void> {
  try {
    await client.send(new CreateTagsCommand({ Resources: [instanceId], Tags: ec2Tags(tags) }));
  } catch (thrown) {
    if (!isUnknownInstance(thrown)) throw awsPortError(thrown, `tag ${instanceId}`);
  }
}
