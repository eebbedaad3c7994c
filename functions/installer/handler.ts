import type { Context } from 'aws-lambda';
import { answerTrigger } from '../../lib/operator/lambda/custom-resource.ts';
import { wireInstaller } from '../../lib/operator/wiring/installer.ts';

const { runtime, work } = wireInstaller();

/** Called by CloudFormation when the stack is created, changed or deleted, and once a day by a schedule. */
export async function handler(event: unknown, context: Context): Promise<void> {
  const remainingMs = (): number => context.getRemainingTimeInMillis();
  await answerTrigger(runtime, event, work(remainingMs));
}
