/** Starts all AWS emulators of the tests. Each emulates the services that it supports best. */
import { dirname, join } from 'node:path';
import { type DynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';
import { type Ministack, startMinistack } from './ministack.ts';
import { type Moto, startMoto } from './moto/moto.ts';
import { type Server, withoutAws } from './server.ts';

export const CACHE = join(import.meta.dirname, '..', '.cache');

export interface Emulators extends Server {
  /** The environment of their clients, which cannot reach a real account. */
  readonly environment: NodeJS.ProcessEnv;
  /** The same for a deploy: ministack emulates all resources of a stack. */
  readonly deployEnvironment: NodeJS.ProcessEnv;
}

/** `toFunctions`: variables of the functions in addition to those of their stack. */
export async function startEmulators(folder: string, toFunctions: NodeJS.ProcessEnv = {}): Promise<Emulators> {
  const started: Server[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const start = async <S extends Server>(name: string, starting: Promise<S>): Promise<S> => {
    const startedMs = Date.now();
    const server = await starting;
    started.push(server);
    console.log(`${name} answers after ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
    return server;
  };
  try {
    const moto = await start('moto', startMoto(CACHE, folder));
    const local = await start('DynamoDB Local', startDynamoDbLocal(CACHE, folder));
    const ministack = await start(
      'ministack',
      startMinistack(CACHE, folder, { ...motoEndpoints(moto), ...toFunctions }),
    );
    const deployEnvironment = clientEnvironment(ministack);
    return { deployEnvironment, environment: testEnvironment(deployEnvironment, moto, local), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function testEnvironment(environment: NodeJS.ProcessEnv, moto: Moto, local: DynamoDbLocal): NodeJS.ProcessEnv {
  return {
    ...environment,
    ...motoEndpoints(moto),
    KERF_MOTO: moto.endpoint,
    KERF_DYNAMODB_LOCAL: local.endpoint,
  };
}

/** The SDK calls moto for these services, ministack for all others. */
export function motoEndpoints({ endpoint }: Moto): NodeJS.ProcessEnv {
  return Object.fromEntries(['EC2', 'SSM', 'IAM', 'PRICING'].map((name) => [`AWS_ENDPOINT_URL_${name}`, endpoint]));
}

/** The access key is the account's number, by which ministack separates accounts. */
function clientEnvironment({ endpoint }: Ministack): NodeJS.ProcessEnv {
  return {
    ...withoutAws(process.env),
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: '123456789012',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
