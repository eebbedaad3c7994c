/** Wires the lifecycle function: as every controller, with IAM for the nodes' instance profiles and the webhook's registration. */
import { IAMClient } from '@aws-sdk/client-iam';
import type { WakeRuntime } from '../../controllers/run/handle-wakes.ts';
import { IamInstanceProfiles } from '../../providers/aws/iam/iam-instance-profiles.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { type Environment, webhookAddress } from '../options/options.ts';
import { wireController } from './controller.ts';
import { SDK_TIMEOUTS } from './sdk-timeouts.ts';

/** *Errors:* OptionError. */
export function wireLifecycle(environment: Environment = process.env): WakeRuntime {
  const client = new IAMClient({ requestHandler: SDK_TIMEOUTS });
  return wireController('lifecycle', environment, {
    profiles: new IamInstanceProfiles({ client, clock: systemClock }),
    webhook: webhookAddress(environment),
  });
}
