import { Agent } from 'node:https';
import { closingOld } from '../../providers/kubernetes/client/kept-connections.ts';

/** The connections of all clients, as many at the same time as those of the SDK. */
export const SDK_CONNECTIONS = { httpsAgent: closingOld(new Agent({ keepAlive: true, maxSockets: 50 })) };

/** A service that does not answer must not use the whole time of the function; the next tick calls it again. */
export const SDK_TIMEOUTS = {
  ...SDK_CONNECTIONS,
  connectionTimeout: 3_000,
  requestTimeout: 15_000,
  throwOnRequestTimeout: true,
};

/** A run waits two seconds at most for a publication. Calls that hang must not be many at the same time. */
export const BUS_TIMEOUTS = {
  ...SDK_CONNECTIONS,
  connectionTimeout: 1_000,
  requestTimeout: 2_000,
  throwOnRequestTimeout: true,
};
