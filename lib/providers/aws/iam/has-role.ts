import { GetRoleCommand, type IAMClient } from '@aws-sdk/client-iam';
import { isEntityMissing, translated } from '../client/errors.ts';

export async function hasRole(client: IAMClient, name: string): Promise<boolean> {
  return await translated(`read role ${name}`, async () => {
    try {
      await client.send(new GetRoleCommand({ RoleName: name }));
      return true;
    } catch (thrown) {
      if (isEntityMissing(thrown)) return false;
      throw thrown;
    }
  });
}
