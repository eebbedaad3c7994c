/** A TLS proxy before the emulator's Function URL: the API server requires TLS, which the emulator does not support. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { output, variable } from '../aws/deployment.ts';
import { serveTls, type TlsServer } from '../rig/tls-server.ts';

export interface WebhookFront extends TlsServer {
  readonly calls: () => number;
}

export async function startWebhookFront(): Promise<WebhookFront> {
  const { hostname: host, port } = new URL(variable('KERF_WEBHOOK_URL'));
  let calls = 0;
  const server = await serveTls(
    (incoming, response) => {
      calls += 1;
      forward(incoming, response);
    },
    { host, port: Number(port) },
  );
  return { ...server, calls: () => calls };
}

/** The emulator finds the function by the Host header. */
function forward(incoming: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = new URL(variable('AWS_ENDPOINT_URL'));
  const { method = 'POST', url = '/', headers } = incoming;
  const host = new URL(output('WebhookUrl')).host;
  const sent = request({ hostname, port, method, path: url, headers: { ...headers, host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.writeHead(502).end());
  incoming.pipe(sent);
}
