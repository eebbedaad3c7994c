import { buildRouteMap, type RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { planProvisioningCommand } from './plan-provisioning-command.ts';

/** `kerf plan …`: shows what a controller would do with a snapshot. */
export const planRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { provisioning: planProvisioningCommand },
  docs: { brief: 'Show the decision for a snapshot of a cluster' },
});
