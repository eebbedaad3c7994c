/** The AWS emulator ministack: installed once into `.cache`, started on a free port of 127.0.0.1, stopped without a trace. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const VERSION = '1.5.33';
const START_WITHIN_MS = 60_000;

export interface Emulator {
  /** What a client of it needs in its environment; nothing in it can reach a real account. */
  readonly environment: NodeJS.ProcessEnv;
  readonly stop: () => Promise<void>;
}

/** *Errors:* an Error that names what is missing on this machine. */
export function installMinistack(cache: string): string {
  const home = join(cache, `ministack-${VERSION}`);
  const program = join(home, 'bin', 'ministack');
  const complete = join(home, 'complete');
  if (existsSync(complete)) return program;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  need('python3', ['--version'], 'python3 is missing: install Python 3.11 or newer');
  need(
    'python3',
    ['-m', 'venv', home],
    'python3 cannot make virtual environments: install its venv module (Debian: python3-venv)',
  );
  const pip = join(home, 'bin', 'pip');
  need(pip, ['--version'], 'the virtual environment has no pip: install ensurepip (Debian: python3-venv)');
  need(
    pip,
    ['install', '--quiet', '--disable-pip-version-check', `ministack==${VERSION}`],
    `pip cannot install ministack ${VERSION} from its index`,
  );
  writeFileSync(complete, '');
  return program;
}

function need(program: string, options: readonly string[], otherwise: string): void {
  const { status, error, stdout, stderr } = spawnSync(program, options, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${otherwise}\n${error?.message ?? `${stdout}${stderr}`}`.trimEnd());
}

/** @param folder its log and its temporary files: they go with the folder (trap: it leaves some behind itself). */
export async function startMinistack(program: string, folder: string): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const log = join(folder, 'ministack.log');
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const output = openSync(log, 'w');
  const child = spawn(program, [], {
    stdio: ['ignore', output, output],
    env: {
      ...withoutAws(process.env),
      // Its workers run the `node` that they find: the one that runs this.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      TMPDIR: temporary,
      MINISTACK_HOST: '127.0.0.1',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_ASYNC_RETRY_BASE_SECONDS: '1',
      LAMBDA_ASYNC_RETRY_MAX_SECONDS: '1',
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = await Promise.race([exited, setTimeout(10_000, 'late', { ref: false })]);
    if (late === 'late') child.kill('SIGKILL');
    await exited;
  };
  try {
    await healthy(child, endpoint);
  } catch (error) {
    await stop();
    throw new Error(`ministack did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`, { cause: error });
  }
  return { environment: clientEnvironment(endpoint), stop };
}

async function healthy(child: ChildProcess, endpoint: string): Promise<void> {
  const deadline = Date.now() + START_WITHIN_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    try {
      if ((await fetch(`${endpoint}/_ministack/health`)).ok) return;
    } catch {
      // It does not listen yet.
    }
    await setTimeout(100);
  }
  throw new Error(child.exitCode === null ? `no answer in ${START_WITHIN_MS} ms` : `exit code ${child.exitCode}`);
}

/** The access key is the account's number: so ministack tells accounts apart. */
function clientEnvironment(endpoint: string): NodeJS.ProcessEnv {
  return {
    ...withoutAws(process.env),
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
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

/** A developer's profile or session must not leak into a test. */
function withoutAws(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('AWS_')));
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('this machine gave no port');
  return address.port;
}
