/** What happens at a terminal. */
export interface TerminalEvents {
  readonly key: (key: string) => void;
  readonly resize: () => void;
  /** The process is asked to end. */
  readonly stop: () => void;
}

/** A terminal that shows pictures and reports keys. */
export interface Terminal {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Calls the events until the returned function is called; keys are not echoed in this time. `leave` is written at the end in any case. */
  open(events: TerminalEvents, leave: string): () => void;
}

/** Node ends without a word from a default signal handler, so each of these has one. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const DEFAULT_SIZE = { columns: 80, rows: 24 } as const;

/** One key, or one escape sequence. */
const KEY = /\p{Cc}(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])|[\s\S]/gu;

/** The keys of what a terminal sends at once. @internal */
export function keysIn(text: string): readonly string[] {
  return text.match(KEY) ?? [];
}

/** The terminal of this process. *Shape:* undefined if input or output is not a terminal. */
export function processTerminal(): Terminal | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  return {
    // A terminal without a size reports 0.
    size: () => ({ columns: stdout.columns || DEFAULT_SIZE.columns, rows: stdout.rows || DEFAULT_SIZE.rows }),
    write: (text) => void stdout.write(text),
    open({ key, resize, stop }, leave) {
      const onData = (data: Buffer): void => keysIn(data.toString('utf8')).forEach(key);
      let isOpen = true;
      const close = (): void => {
        if (!isOpen) return;
        isOpen = false;
        stdout.write(leave);
        stdin.off('data', onData);
        stdin.setRawMode(false);
        stdin.pause();
        stdout.off('resize', resize);
        for (const signal of SIGNALS) process.off(signal, stop);
        process.off('exit', close);
      };
      stdin.setRawMode(true);
      stdin.on('data', onData);
      stdin.resume();
      stdout.on('resize', resize);
      for (const signal of SIGNALS) process.on(signal, stop);
      process.on('exit', close);
      return close;
    },
  };
}
