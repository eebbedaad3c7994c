import { closeSync, openSync, readdirSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type CliContext, MAX_TEXT } from './context.ts';
import { EXIT } from './exit-codes.ts';

/** Resolves a path of the user, who stands in the folder where the command was called. */
export function userPath(path: string): string {
  return resolve(callersFolder({ cwd: process.cwd(), initCwd: process.env['INIT_CWD'] }), path);
}

/** The folder of `package.json`. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Folders {
  readonly cwd: string;
  /** Where npm was called. Programs that npm starts inherit it. */
  readonly initCwd: string | undefined;
}

/** npm runs the scripts of a package in its folder, so that only there the folder of the user is another one. @internal */
export function callersFolder({ cwd, initCwd }: Folders, root: string = ROOT): string {
  return initCwd !== undefined && relative(root, cwd) === '' ? initCwd : cwd;
}

/** The context of the shell. */
export function shellContext(): CliContext {
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  return {
    process: { stdout: process.stdout, stderr: process.stderr, exitCode: null },
    columns: columnsOf(process.stdout),
    color: hasColor(process.stdout.isTTY, process.env),
    errorColumns: columnsOf(process.stderr),
    readText: (path, maxBytes = MAX_TEXT) => (path === '-' ? readAll(0, maxBytes) : readFile(userPath(path), maxBytes)),
    writeText: (path, text) => writeFileSync(userPath(path), text),
    filesIn: (path) => (path === '-' ? undefined : filesIn(path)),
    sleep: async (ms, signal) => pause(ms, signal),
    onInterrupt,
  };
}

/** FORCE_COLOR overrides NO_COLOR, as in Node.js. @internal */
export function hasColor(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: forced = '', NO_COLOR: refused = '', TERM: terminal } = environment;
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && refused === '' && terminal !== 'dumb';
}

/** Some terminals have no size and report 0 columns. */
function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

function onInterrupt(stop: () => void): () => void {
  let times = 0;
  const interrupted = (): void => {
    times += 1;
    if (times > 1) process.exit(EXIT.interrupted);
    stop();
  };
  process.on('SIGINT', interrupted);
  return () => void process.off('SIGINT', interrupted);
}

function filesIn(path: string): readonly string[] | undefined {
  const whole = userPath(path);
  if (!statSync(whole).isDirectory()) return undefined;
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter((file) => isFile(join(whole, file)))
    .map((file) => join(path, file))
    .toSorted();
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // The target of the link does not exist, or the links form a loop.
    return false;
  }
}

function readFile(path: string, maxBytes: number): string {
  const file = openSync(path, 'r');
  try {
    return readAll(file, maxBytes);
  } finally {
    closeSync(file);
  }
}

const MEGABYTE = 1_024 * 1_024;

/** Reads up to the limit, because a device or a pipe may not end. */
function readAll(file: number, maxBytes: number): string {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes <= maxBytes; ) {
    const part = Buffer.allocUnsafe(64 * 1_024);
    const length = readSome(file, part);
    if (length === 0) return decoded(Buffer.concat(parts));
    parts.push(part.subarray(0, length));
    bytes += length;
  }
  throw new RangeError(`it is larger than ${Math.floor(maxBytes / MEGABYTE)} MB`);
}

/** Some terminals report the end of the input as an error. */
function readSome(file: number, part: Buffer): number {
  try {
    return readSync(file, part);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EOF') return 0;
    throw error;
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TypeError('it is not UTF-8 text', { cause });
  }
}

/** Ends the process without an error message if the output cannot be written; after `| head`, this is a success. */
function endQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failure);
}
