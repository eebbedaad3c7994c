import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Quotes a word for the shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
export const KERF = [process.execPath, join(ROOT, 'bin/kerf.js')].map(quoted).join(' ');

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A real terminal: a window of tmux that no one looks at. */
export interface Window {
  readonly keys: (...keys: readonly string[]) => void;
  readonly resize: (size: Size) => void;
  /** The lines that it shows, without those at the end that are empty. */
  readonly lines: () => readonly string[];
  /** The same with the escape sequences of colors. */
  readonly styled: () => string;
  /** Waits until the lines are so. *Errors:* with the last lines, after two minutes. */
  readonly until: (isSo: (text: string, lines: readonly string[]) => boolean) => Promise<readonly string[]>;
  readonly close: () => void;
}

const MAX_WAIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Runs a command of the shell in a new window. *Errors:* if there is no tmux. */
export function openWindow(command: string, { columns, rows }: Size, { color = false } = {}): Window {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-tmux-'));
  const tmux = (...args: readonly string[]): string => {
    const { stdout, stderr, status, error } = spawnSync(
      'tmux',
      ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args],
      {
        encoding: 'utf8',
        cwd: ROOT,
        env: { ...process.env, LANG: 'C.UTF-8', TERM: 'xterm-256color', ...(color ? {} : { NO_COLOR: '1' }) },
      },
    );
    if (error !== undefined) throw new Error('no tmux: install it (Debian: apt-get install tmux)', { cause: error });
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  tmux(
    '-u',
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    `${command}; echo "exit code $?"; exec sleep 600`,
  );
  const lines = (): readonly string[] => tmux('capture-pane', '-p').replace(/\n+$/, '').split('\n');
  return {
    lines,
    styled: () => tmux('capture-pane', '-e', '-p').replace(/\n+$/, ''),
    keys: (...keys) => void tmux('send-keys', ...keys),
    resize: (size) => void tmux('resize-window', '-x', String(size.columns), '-y', String(size.rows)),
    async until(isSo) {
      const endMs = performance.now() + MAX_WAIT_MS;
      for (;;) {
        const shown = lines();
        if (isSo(shown.join('\n'), shown)) return shown;
        if (performance.now() > endMs) throw new Error(`the terminal shows:\n${shown.join('\n')}`);
        await setTimeout(LOOK_EVERY_MS);
      }
    },
    close() {
      tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
