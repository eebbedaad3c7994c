import { setTimeout } from 'node:timers/promises';
import { runCommandLine } from '../../lib/cli/run-command-line.ts';

/** A run of `kerf simulate --web` in this process. */
export interface ServedRun {
  readonly url: string;
  /** Ctrl-C. */
  readonly interrupt: () => Promise<{ readonly code: number; readonly stdout: string }>;
}

/** Waits for the address. *Errors:* what the command prints if it ends before. */
export async function serveRun(manifests: string, flags: readonly string[]): Promise<ServedRun> {
  const printed = { stdout: '', stderr: '' };
  const address = Promise.withResolvers<string>();
  const interruption = new EventTarget();
  const ended = runCommandLine(['simulate', 'a.yaml', '--web', ...flags], {
    process: {
      stdout: { write: (text) => void (printed.stdout += text) },
      stderr: {
        write(text) {
          printed.stderr += text;
          const url = /http:\S+/.exec(text)?.[0];
          if (url !== undefined) address.resolve(url);
        },
      },
      exitCode: null,
    },
    columns: undefined,
    color: false,
    readText: () => manifests,
    writeText: () => {},
    filesIn: () => undefined,
    sleep: async (ms, signal) => {
      if (signal?.aborted !== true) await setTimeout(ms);
    },
    onInterrupt(stop) {
      interruption.addEventListener('interrupt', stop);
      return () => interruption.removeEventListener('interrupt', stop);
    },
  });
  void ended.then(() => address.reject(new Error(printed.stderr)));
  const url = await address.promise;
  return {
    url,
    async interrupt() {
      interruption.dispatchEvent(new Event('interrupt'));
      return { code: await ended, stdout: printed.stdout };
    },
  };
}
