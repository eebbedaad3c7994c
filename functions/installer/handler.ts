import type { CloudFormationCustomResourceEvent, Context } from 'aws-lambda';
import { answerCustomResource } from '../../lib/operator/lambda/custom-resource.ts';
import { wireInstaller } from '../../lib/operator/wiring/installer.ts';

const { runtime, resource } = wireInstaller();

/** Called by CloudFormation when the stack is created, changed or deleted. */
export async function handler(event: CloudFormationCustomResourceEvent, context: Context): Promise<void> {
  const remainingMs = (): number => context.getRemainingTimeInMillis();
  await answerCustomResource(runtime, event, resource(remainingMs));
}
