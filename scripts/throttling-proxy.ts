/** A proxy before DynamoDB that refuses all calls with throttling errors while a test requests it. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface ThrottlingProxy {
  readonly endpoint: string;
  /** The target of the calls. Calls are refused until it is set. */
  readonly forwardTo: (endpoint: string) => void;
  readonly throttle: (on: boolean) => void;
  /** The number of refused calls. */
  readonly refused: () => number;
  readonly close: () => Promise<void>;
}

const REFUSAL = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  message: 'The level of configured provisioned throughput for the table was exceeded',
});

export async function startThrottlingProxy(): Promise<ThrottlingProxy> {
  let target: string | undefined;
  let throttled = false;
  let refused = 0;
  const server = createServer((incoming, response) => {
    if (target !== undefined && !throttled) return forward(target, incoming, response);
    refused += 1;
    incoming.resume();
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(REFUSAL);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    forwardTo: (endpoint) => {
      target = endpoint;
    },
    throttle: (on) => {
      throttled = on;
    },
    refused: () => refused,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming;
  const { hostname, port } = new URL(target);
  const sent = request({ hostname, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  incoming.pipe(sent);
}
