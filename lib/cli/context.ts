import type { CommandContext } from '@stricli/core';

/** The world outside a command: handed in, so that a test can look on. */
export interface CliContext extends CommandContext {
  readonly process: {
    readonly stdout: { write(text: string): void };
    readonly stderr: { write(text: string): void };
    exitCode?: number | string | null;
  };
  /** Columns of the terminal; undefined where the output is no terminal. */
  readonly columns: number | undefined;
  readonly color: boolean;
  /** `mostBytes`: what is longer is not read. @default MAX_TEXT. *Errors:* throws what the file system says. */
  readText(path: string, mostBytes?: number): string;
  /** The files below a folder, in order; undefined where the path is no folder. *Errors:* throws what the file system says. */
  filesIn(path: string): readonly string[] | undefined;
  sleep(ms: number): Promise<void>;
}

/** Bytes: more than anybody writes, and what one process can hold parsed. */
export const MAX_TEXT = 16 * 1_024 * 1_024;
