import { buildRouteMap, type RouteMap } from '@stricli/core';
import type { CliContext } from '../context.ts';
import { planProvisioningCommand } from './plan-provisioning-command.ts';

/** `kerf plan …`: what a controller would do with a snapshot, and nothing done. */
export const planRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { provisioning: planProvisioningCommand },
  docs: { brief: 'Show what would be decided for a snapshot of a cluster, without doing it' },
});
