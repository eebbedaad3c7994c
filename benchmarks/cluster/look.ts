/** What one look at the cluster costs the process that takes it. */
import { subscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

export interface Look {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Of the process until now, at its largest. */
  readonly peakMb: number;
  readonly requests: number;
  /** As they came over the wire. */
  readonly receivedMb: number;
  readonly found: Found;
}

/** What a look saw, for the parent to compare with what there is. */
export interface Found {
  readonly pods: number;
  readonly unbound: number;
  readonly nodes: number;
  /** On the node that changes are made on. */
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
