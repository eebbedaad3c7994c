import type { CommandContext } from '@stricli/core';

/** The environment of a command, which tests replace. */
export interface CliContext extends CommandContext {
  readonly process: {
    readonly stdout: { write(text: string): void };
    readonly stderr: { write(text: string): void };
    exitCode?: number | string | null;
  };
  /** Columns of the terminal; undefined if the output is not a terminal. */
  readonly columns: number | undefined;
  readonly color: boolean;
  /** Columns of the terminal that shows standard error. @default it is not shown in a terminal */
  readonly errorColumns?: number | undefined;
  /**
   * Calls `stop` at the first Ctrl-C; a second one ends the process at once. *Shape:* a function that restores the default.
   * @default Ctrl-C ends the process
   */
  onInterrupt?(stop: () => void): () => void;
  /** `maxBytes`: a longer file is not read. @default MAX_TEXT. *Errors:* throws the error of the file system. */
  readText(path: string, maxBytes?: number): string;
  /** Replaces the text of a file. *Errors:* throws the error of the file system. */
  readonly writeText: (path: string, text: string) => void;
  /** The files below a folder, sorted; undefined if the path is not a folder. *Errors:* throws the error of the file system. */
  filesIn(path: string): readonly string[] | undefined;
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The maximum size of the input in bytes, which one process can parse. */
export const MAX_TEXT = 16 * 1_024 * 1_024;
