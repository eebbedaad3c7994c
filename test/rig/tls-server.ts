/** A server on this machine with the certificate of the rig's API server, so that the API server trusts it. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { variable } from '../cluster/support/api-client.ts';

export interface TlsServer {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** `port`: @default any that is free. */
export async function serveTls(
  answer: RequestListener,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<TlsServer> {
  const identity = { cert: readFileSync(variable('KERF_CLUSTER_CA')), key: readFileSync(variable('KERF_CLUSTER_KEY')) };
  const server = createServer(identity, answer);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return {
    endpoint: `https://${host}:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The certificate authority of `serveTls`, for the `clientConfig` of a webhook. */
export function caBundle(): string {
  return Buffer.from(readFileSync(variable('KERF_CLUSTER_CA'))).toString('base64');
}
