/** The lifecycle function's wiring: that of every controller, and IAM, since it makes the nodes' instance profiles. */
import { IAMClient } from '@aws-sdk/client-iam';
import { IamInstanceProfiles } from '../providers/aws/iam-instance-profiles.ts';
import { PATIENCE, wireController } from './controller.ts';
import type { Environment } from './options.ts';
import { systemClock } from './system-clock.ts';
import type { WakeRuntime } from './wake-batch.ts';

/** *Errors:* OptionError. */
export function wireLifecycle(environment: Environment = process.env): WakeRuntime {
  const client = new IAMClient({ requestHandler: PATIENCE });
  return wireController('lifecycle', environment, new IamInstanceProfiles({ client, clock: systemClock }));
}
