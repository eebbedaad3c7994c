import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CliContext, MAX_TEXT } from './context.ts';
import { EXIT } from './exit-codes.ts';

/** A path as the user wrote it: npm runs scripts in the package's root, and INIT_CWD is where it was called. */
export function userPath(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? process.cwd(), path);
}

/** The real shell. */
export function shellContext(): CliContext {
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  return {
    process: { stdout: process.stdout, stderr: process.stderr, exitCode: null },
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    color: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
    readText: (path, mostBytes = MAX_TEXT) =>
      path === '-' ? readAll(0, mostBytes) : readFile(userPath(path), mostBytes),
    filesIn: (path) => (path === '-' ? undefined : filesIn(path)),
    sleep: async (ms) => sleep(ms),
  };
}

function filesIn(path: string): readonly string[] | undefined {
  const whole = userPath(path);
  if (!statSync(whole).isDirectory()) return undefined;
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || (entry.isSymbolicLink() && isFile(join(entry.parentPath, entry.name))))
    .map((entry) => join(path, entry.parentPath.slice(whole.length), entry.name))
    .toSorted();
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // It leads nowhere, or round and round.
    return false;
  }
}

function readFile(path: string, mostBytes: number): string {
  const file = openSync(path, 'r');
  try {
    return readAll(file, mostBytes);
  } finally {
    closeSync(file);
  }
}

const MEGABYTE = 1_024 * 1_024;

/** No more than any command reads: a device or a pipe may have no end. */
function readAll(file: number, mostBytes: number): string {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes <= mostBytes; ) {
    const part = Buffer.allocUnsafe(64 * 1_024);
    const length = readSome(file, part);
    if (length === 0) return decoded(Buffer.concat(parts));
    parts.push(part.subarray(0, length));
    bytes += length;
  }
  throw new RangeError(`it has more than ${Math.floor(mostBytes / MEGABYTE)} MB`);
}

/** Nothing more to come is an error code on some terminals. */
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
    throw new TypeError('it is not text in UTF-8', { cause });
  }
}

/** Whoever reads the output has seen enough (`| head`), or nothing more can be written: there is nobody left to tell. */
function endQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failure);
}
