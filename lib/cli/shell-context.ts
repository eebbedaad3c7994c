import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

/** The real shell. npm runs scripts from the package's root, so files are looked for where the user stands. */
export function shellContext(): CliContext {
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  const folder = process.env['INIT_CWD'] ?? process.cwd();
  return {
    process: { stdout: process.stdout, stderr: process.stderr, exitCode: null },
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    color: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
    readText: (path) => readFileSync(path === '-' ? 0 : resolve(folder, path), 'utf8'),
    filesIn: (path) => (path === '-' ? undefined : filesIn(path, folder)),
    sleep: async (ms) => sleep(ms),
  };
}

function filesIn(path: string, from: string): readonly string[] | undefined {
  const whole = resolve(from, path);
  if (!statSync(whole).isDirectory()) return undefined;
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(path, entry.parentPath.slice(whole.length), entry.name))
    .toSorted();
}

/** Whoever reads the output has seen enough (`| head`), or nothing more can be written: there is nobody left to tell. */
function endQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failure);
}
