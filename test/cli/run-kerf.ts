import type { CliContext } from '../../lib/cli/context.ts';
import { runCommandLine } from '../../lib/cli/run-command-line.ts';

/** The output of a call of `kerf`, and its exit code. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  /** The total time of its pauses. */
  readonly sleptMs: number;
  /** The texts of the files that it wrote. @default none */
  readonly writtenFiles?: ReadonlyMap<string, string>;
}

/** Runs the command line in this process, with files in memory. */
export async function runKerf(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  terminal: Partial<Pick<CliContext, 'onInterrupt' | 'columns' | 'errorColumns' | 'color'>> = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '', files: new Map<string, string>() };
  let sleptMs = 0;
  const shell: {
    stdout: { write(text: string): void };
    stderr: { write(text: string): void };
    exitCode: number | string | null;
  } = {
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
    exitCode: null,
  };
  const code = await runCommandLine(args, {
    process: shell,
    columns: undefined,
    color: false,
    ...terminal,
    readText: (path) => {
      const text = files[path];
      if (text === undefined && Object.keys(files).some((file) => file.startsWith(`${path}/`)))
        throw Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' });
      if (text === undefined)
        throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
      return text;
    },
    writeText: (path, text) => void written.files.set(path, text),
    filesIn: (path) => {
      const below = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
      return below.length === 0 ? undefined : below.toSorted();
    },
    sleep: async (ms) => void (sleptMs += ms),
  });
  const { files: writtenFiles, ...texts } = written;
  return { ...texts, code, sleptMs, ...(writtenFiles.size > 0 && { writtenFiles }) };
}
