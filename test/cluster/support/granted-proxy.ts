/** A proxy to the API server with the rights of one function of Kerf: only those of its group. It lists the refused calls. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { ClusterFunction } from '../../../lib/core/install/rbac.ts';
import { listening } from '../../../scripts/server.ts';
import { variable } from './api-client.ts';
import { speakingFor } from './identities.ts';

export interface GrantedProxy {
  readonly endpoint: string;
  /** Every call, and the status of its response. */
  readonly calls: readonly { readonly call: string; readonly status: number }[];
  readonly close: () => Promise<void>;
}

export async function startGrantedProxy(name: ClusterFunction): Promise<GrantedProxy> {
  const calls: { readonly call: string; readonly status: number }[] = [];
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method = 'GET', url = '/', headers } = incoming;
    const sent = request(
      new URL(url, variable('KERF_CLUSTER_ENDPOINT')),
      {
        method,
        ca: readFileSync(variable('KERF_CLUSTER_CA')),
        headers: { ...headers, authorization: `Bearer ${variable('KERF_CLUSTER_TOKEN')}`, ...speakingFor(name) },
      },
      (answer) => {
        calls.push({ call: `${method} ${url.split('?')[0]}`, status: answer.statusCode ?? 0 });
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  };
  const server = createServer(forward);
  return { ...(await listening(server)), calls };
}
