/** The AWS emulator ministack: Lambda, SQS, EventBridge, DynamoDB, CloudFormation. */
import { join } from 'node:path';
import { installPython } from './python-program.ts';
import { freePort, type Server, startServer } from './server.ts';

const VERSION = '1.5.33';

export interface Ministack extends Server {
  readonly endpoint: string;
}

/** @param toFunctions variables of its functions in addition to those of their stack. */
export async function startMinistack(
  cache: string,
  folder: string,
  toFunctions: NodeJS.ProcessEnv = {},
): Promise<Ministack> {
  const bin = installPython(cache, { name: `ministack-${VERSION}`, packages: [`ministack==${VERSION}`] });
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = await startServer({
    name: 'ministack',
    command: [join(bin, 'ministack')],
    folder,
    ready: `${endpoint}/_ministack/health`,
    environment: {
      MINISTACK_HOST: '127.0.0.1',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_ASYNC_RETRY_BASE_SECONDS: '1',
      LAMBDA_ASYNC_RETRY_MAX_SECONDS: '1',
      ...toFunctions,
    },
  });
  return { ...server, endpoint };
}
