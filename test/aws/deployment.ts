/** The deployment of `npm run test:aws` for tests: its outputs, its logs, its webhook. */
import { request } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { listAt, readJson, textAt } from '../stack/json.ts';

export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run these tests by npm run test:aws`);
  return value;
}

/** An output of the stack. */
export function output(name: string): string {
  return textAt(readJson(variable('KERF_OUTPUTS')), 'Kerf', name);
}

/** The emulator reads the account from the header and checks no signature. */
function signedBy(service: string): string {
  const scope = `${variable('AWS_ACCESS_KEY_ID')}/20260101/${variable('AWS_REGION')}/${service}/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
}

/** For services without a client in the project. */
async function call(service: string, target: string, body: unknown): Promise<unknown> {
  const response = await fetch(variable('AWS_ENDPOINT_URL'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': target,
      authorization: signedBy(service),
    },
    body: JSON.stringify(body),
  });
  return await response.json();
}

export async function webhookSecret(): Promise<string> {
  const path = `/2015-03-31/functions/${output('WebhookFunctionName')}/configuration`;
  const response = await fetch(new URL(path, variable('AWS_ENDPOINT_URL')), {
    headers: { authorization: signedBy('lambda') },
  });
  return textAt(await response.json(), 'Environment', 'Variables', 'WEBHOOK_SECRET');
}

/** The JSON lines in the log of a function. */
export async function logLines(name: string): Promise<readonly unknown[]> {
  const logGroupName = output(`${name}LogGroup`);
  const events = listAt(await call('logs', 'Logs_20140328.FilterLogEvents', { logGroupName }), 'events');
  return events
    .flatMap((event) => textAt(event, 'message').split('\n'))
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line));
}

/** Calls the Function URL as an API server does. By node:http: the emulator finds the function by the Host header, which fetch drops. */
export async function callWebhook(
  path: string,
  body: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const gateway = new URL(variable('AWS_ENDPOINT_URL'));
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number; readonly body: unknown }>();
  const sent = request(
    {
      host: gateway.hostname,
      port: gateway.port,
      path,
      method: 'POST',
      headers: { host: new URL(output('WebhookUrl')).host, 'content-type': 'application/json' },
    },
    (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer) }), reject);
    },
  );
  sent.on('error', reject);
  sent.end(JSON.stringify(body));
  return await promise;
}

/** The deployed stack uses a fixed port for its cluster. Connections to this port are forwarded to `endpoint`. */
export async function forwardClusterPort(endpoint: string): Promise<Server> {
  const target = Number(new URL(endpoint).port);
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1');
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('error', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(Number(variable('KERF_CLUSTER_PORT')), '127.0.0.1', resolve));
  return server;
}

/** Repeats the call until it returns a value. *Errors:* an Error that names what is missing. */
export async function eventually<Found>(
  what: string,
  look: () => Promise<Found | undefined>,
  withinMs = 20_000,
): Promise<Found> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await setTimeout(200);
  }
  throw new Error(`${what}: not found within ${withinMs} ms`);
}
