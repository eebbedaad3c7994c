import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../apis/kubernetes.ts';
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
  try {
    await reader.client.send(new CreateTagsCommand({ Resources: [instanceId], Tags: ec2Tags(tags) }));
  } catch (thrown) {
    if (!isUnknownInstance(thrown)) throw awsPortError(thrown, `tag ${instanceId}`);
  }
}
