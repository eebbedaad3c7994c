import type * as http from 'node:http';
import type { Duplex } from 'node:stream';
import { SECOND_MS } from '../../../apis/formats/time.ts';

/**
 * A network load balancer and a NAT gateway forget a connection after 350 s, and a frozen function does not learn of it. A function
 * with a tick is called every 60 s, and keeps its connections.
 */
const KEPT_MS = 90 * SECOND_MS;

/** A call on a connection that has ended. */
const ENDED: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

/**
 * Makes an agent close connections that may have ended while the function was frozen: those unused for more than 90 s, and all unused
 * ones after a call found that its kept connection had ended. Otherwise each attempt of a call takes the next ended connection.
 *
 * @param now in milliseconds; a clock that continues while the function is frozen
 */
export function closingOld<Agent extends http.Agent>(agent: Agent, now: () => number = Date.now): Agent {
  const unusedSinceMs = new WeakMap<Duplex, number>();
  const [nameOf, keep, reuse] = [
    agent.getName.bind(agent),
    agent.keepSocketAlive.bind(agent),
    agent.reuseSocket.bind(agent),
  ];
  const closeUnused = (sinceMs: number): void => {
    for (const socket of Object.values(agent.freeSockets).flatMap((sockets = []) => sockets)) {
      if ((unusedSinceMs.get(socket) ?? 0) < sinceMs) socket.destroy();
    }
  };
  return Object.assign(agent, {
    // Called for each request, before an unused connection is looked for.
    getName(options?: http.ClientRequestArgs) {
      closeUnused(now() - KEPT_MS);
      return nameOf(options);
    },
    // Without its result, the connection would be closed.
    keepSocketAlive(socket: Duplex) {
      unusedSinceMs.set(socket, now());
      return keep(socket);
    },
    reuseSocket(socket: Duplex, request: http.ClientRequest) {
      reuse(socket, request);
      request.once('error', (error) => {
        if ('code' in error && ENDED.includes(error.code)) closeUnused(Infinity);
      });
    },
  });
}
