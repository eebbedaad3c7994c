import { createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from './tls.ts';

/** A server behind a load balancer that forgets its connections. */
export interface ForgetfulServer {
  readonly endpoint: string;
  /** How many connections were made. */
  readonly connections: () => number;
  /** What has been connected until now is reset, or not answered, as soon as a call uses it. */
  readonly forget: (how: 'reset' | 'drop') => void;
  readonly close: () => Promise<void>;
}

/** Answers every call with this body. */
export async function forgetfulServer(protocol: 'http' | 'https', body: string): Promise<ForgetfulServer> {
  const forgotten = new WeakMap<Socket, 'reset' | 'drop'>();
  const accepted: Socket[] = [];
  const onConnection = (socket: Socket): void => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const how = forgotten.get(socket);
      if (how === 'reset') socket.destroy();
      if (how !== undefined) return;
      const type = body.startsWith('{') ? 'application/json' : 'text/xml';
      const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}`;
      // After the calls that were made at the same time, so that each has its own connection.
      setTimeout(() => socket.write(`${head}\r\n\r\n${body}`), 20);
    });
  };
  const server =
    protocol === 'http'
      ? createServer(onConnection)
      : createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, onConnection);
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    endpoint: `${protocol}://127.0.0.1:${port}`,
    connections: () => accepted.length,
    forget: (how) => {
      for (const socket of accepted) forgotten.set(socket, how);
    },
    close: async () => {
      const closed = Promise.withResolvers<void>();
      for (const socket of accepted) socket.destroy();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}
