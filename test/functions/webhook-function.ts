/** The webhook function as Lambda runs it: its real handler, with a simulated SQS on this machine. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { vi } from 'vitest';

export const SECRET = 'a1b2c3D4e5F6';

export interface WebhookFunction {
  readonly handler: (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>;
  /** What SQS was sent since it was last emptied. */
  readonly sent: unknown[];
  /** How SQS answers from now on. */
  readonly queue: { answers: 'accepts' | 'refuses' | 'breaks' };
  readonly close: () => void;
}

/** The handler wires itself when it is loaded, as in Lambda, so its environment must be set before. */
export async function loadWebhook(): Promise<WebhookFunction> {
  const sent: unknown[] = [];
  const queue: WebhookFunction['queue'] = { answers: 'accepts' };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const message: unknown = JSON.parse(await text(request));
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    if (queue.answers === 'breaks') request.socket.destroy();
    else if (queue.answers === 'refuses')
      response.writeHead(400).end(JSON.stringify({ __type: 'AccessDenied', message: 'no' }));
    else {
      sent.push(message);
      const said = String(Reflect.get(Object(message), 'MessageBody'));
      response.end(JSON.stringify({ MD5OfMessageBody: createHash('md5').update(said).digest('hex') }));
    }
  };
  const sqs = createServer((request, response) => void receive(request, response));
  const endpoint = await listen(sqs);
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  vi.stubEnv('AWS_REGION', 'eu-west-3');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('CLUSTERS', '{"demo":{}}');
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  for (const target of ['PROVISIONING', 'LIFECYCLE']) {
    vi.stubEnv(`${target}_QUEUE_URL`, `${endpoint}/123456789012/${target}`);
  }
  const { handler } = await import('../../functions/webhook/handler.ts');
  const close = (): void => {
    vi.unstubAllEnvs();
    sqs.closeAllConnections();
    sqs.close();
  };
  return { handler, sent, queue, close };
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** An event of a Function URL. */
export function functionUrlEvent(
  overrides: Partial<LambdaFunctionURLEvent> = {},
  method = 'POST',
): LambdaFunctionURLEvent {
  const path = overrides.rawPath ?? `/demo/${SECRET}`;
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'kube-apiserver' };
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: 'timeout=1s',
    headers: {},
    isBase64Encoded: false,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'url',
      domainName: 'url.lambda-url.eu-west-3.on.aws',
      domainPrefix: 'url',
      http,
      requestId: '1',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    ...overrides,
  };
}
