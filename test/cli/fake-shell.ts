import type { CliContext } from '../../lib/cli/context.ts';

/** A shell of 80 columns without files, for commands that are called with their own ports. */
export function fakeShell(): { readonly context: CliContext; readonly ran: () => Ran } {
  const written = { stdout: '', stderr: '' };
  const shell: CliContext['process'] = {
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
    exitCode: null,
  };
  const context = {
    process: shell,
    columns: 80,
    color: false,
    readText: () => '',
    writeText: () => {},
    filesIn: () => undefined,
    sleep: async () => {},
  };
  return { context, ran: () => ({ ...written, code: shell.exitCode ?? null }) };
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | string | null;
}
