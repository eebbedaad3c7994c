/** Servers that tests start: on a free port of 127.0.0.1, with a log, stopped without a trace. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const START_WITHIN_MS = 60_000;
const DRAWN_PORTS = [20_000, 32_000] as const;
/** The ports that this process has given to its servers: one may not listen yet. */
const given = new Set<number>();

export interface ServerPlan {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Added to this process's environment without its AWS variables. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Its log and its temporary files: they go with the folder. */
  readonly folder: string;
  /** It is ready when this is answered, by whatever status. */
  readonly ready: string;
}

export interface Server {
  readonly stop: () => Promise<void>;
}

/** *Errors:* an Error with the end of its log if it does not answer within a minute. */
export async function startServer(plan: ServerPlan): Promise<Server> {
  const [program, ...options] = plan.command;
  const log = join(plan.folder, `${plan.name}.log`);
  const temporary = join(plan.folder, `${plan.name}-tmp`);
  mkdirSync(temporary, { recursive: true });
  const output = openSync(log, 'w');
  const child = spawn(program, options, {
    stdio: ['ignore', output, output],
    env: {
      ...withoutAws(process.env),
      // What it runs as `node` is the one that runs this.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      TMPDIR: temporary,
      ...plan.environment,
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
    await answers(child, plan.ready);
  } catch (error) {
    await stop();
    throw new Error(`${plan.name} did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`, { cause: error });
  }
  return { stop };
}

async function answers(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_WITHIN_MS;
  while (child.exitCode === null && child.pid !== undefined && Date.now() < deadline) {
    try {
      await fetch(url);
      return;
    } catch {
      // It does not listen yet.
    }
    await setTimeout(100);
  }
  throw new Error(child.exitCode === null ? `no answer in ${START_WITHIN_MS} ms` : `exit code ${child.exitCode}`);
}

/** A server of this process on a free port of 127.0.0.1. */
export interface Listening {
  readonly endpoint: string;
  /** Ends the open connections too. */
  readonly close: () => Promise<void>;
}

export async function listening(server: HttpServer): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A developer's profile or session must not leak into a test. */
export function withoutAws(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('AWS_')));
}

/**
 * A port that nothing listens on, for a server that is started with its number. It is below the ports that systems give to
 * outgoing connections (Linux from 32768, macOS from 49152): one of those could take it before the server listens.
 *
 * *Errors:* an Error after 100 ports in use.
 */
export async function freePort(draw: () => number = () => randomInt(...DRAWN_PORTS)): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = draw();
    if (!given.has(port) && (await isFree(port))) {
      given.add(port);
      return port;
    }
  }
  throw new Error('100 ports of this machine are in use: stop what listens on ports from 20000 to 32000');
}

async function isFree(port: number): Promise<boolean> {
  // macOS allows one server on all addresses beside one on a single address.
  return (await canListen(port, '0.0.0.0')) && (await canListen(port, '127.0.0.1'));
}

async function canListen(port: number, address: string): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) =>
    server.once('error', () => resolve(false)).listen(port, address, () => resolve(true)),
  );
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}

function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('this machine gave no port');
  return address.port;
}
