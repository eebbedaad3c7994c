/** The cost of one read of the cluster, in the process that reads. */
import { subscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

export interface Look {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The largest memory of the process until now. */
  readonly peakMb: number;
  readonly requests: number;
  /** The size of the responses on the network. */
  readonly receivedMb: number;
  readonly found: Found;
}

/** The number of objects that were read; the parent process compares it with the objects that exist. */
export interface Found {
  readonly pods: number;
  readonly unbound: number;
  readonly nodes: number;
  /** The pods on the nodes of the changes. */
  readonly changed: number;
}

const sockets = new Set<Socket>();
let requests = 0;

export function countRequests(): void {
  subscribe('http.client.request.start', (message) => {
    const request =
      typeof message === 'object' && message !== null && 'request' in message ? message.request : undefined;
    if (!(request instanceof ClientRequest)) return;
    requests += 1;
    if (request.socket === null) request.once('socket', (socket) => sockets.add(socket));
    else sockets.add(request.socket);
  });
}

export async function measured(look: () => Promise<Found>): Promise<Look> {
  const before = { cpu: process.cpuUsage(), atMs: performance.now(), requests, received: received() };
  const found = await look();
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    cpuMs: (user + system) / 1_000,
    wallMs: performance.now() - before.atMs,
    peakMb: process.resourceUsage().maxRSS / 1_024,
    requests: requests - before.requests,
    receivedMb: (received() - before.received) / 1e6,
    found,
  };
}

function received(): number {
  return [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}
