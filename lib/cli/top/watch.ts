import { errorMessage } from '../../core/error-message.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { type Frame, frame, styledLines } from './frame.ts';
import type { Terminal } from './terminal.ts';
import type { TopState } from './top-state.ts';
import { type PricePoint, withPoint } from './trend.ts';
import { pressed, type View } from './view.ts';

interface Watching {
  readonly terminal: Terminal;
  /** *Errors:* after the first read, they are shown, and the cluster is read again. */
  readonly read: () => Promise<TopState>;
  readonly everyMs: number;
  readonly view: View;
}

const CTRL_C = '\u0003';
/** The alternate screen, without a cursor, where long lines are not wrapped. */
const ENTER = '\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[2J';
const LEAVE = '\u001B[?7h\u001B[?25h\u001B[?1049l';
const CLEAR = '\u001B[2J';

/** Shows the cluster until a key or a signal ends it. *Shape:* the exit code. *Errors:* that of the first read. */
export async function watch(
  { sleep, color }: Pick<CliContext, 'sleep' | 'color'>,
  { terminal, read, everyMs, view: first }: Watching,
): Promise<number> {
  // Before the screen changes, so that a problem with the input is shown as by the other commands.
  let shown = withState(await read(), []);
  let view = first;
  let failure: string | undefined;
  let code: number = EXIT.fine;
  let drawn: readonly string[] = [];
  const ended = new AbortController();
  const picture = (): Frame => frame(shown.state, { ...view, ...terminal.size(), failure, prices: shown.prices });
  const draw = (): void => {
    const next = styledLines(picture(), color);
    const text = changes(drawn, next);
    drawn = next;
    if (text !== '') terminal.write(text);
  };
  const end = (with_: number): void => {
    code = with_;
    ended.abort();
  };
  terminal.write(ENTER);
  const close = terminal.open(
    {
      key(key) {
        if (key === 'q') end(EXIT.fine);
        else if (key === CTRL_C) end(EXIT.interrupted);
        else {
          view = pressed(view, key, picture().bounds);
          draw();
        }
      },
      resize() {
        drawn = [];
        terminal.write(CLEAR);
        draw();
      },
      stop: () => end(EXIT.interrupted),
    },
    LEAVE,
  );
  try {
    draw();
    for (;;) {
      await sleep(everyMs, ended.signal);
      if (ended.signal.aborted) return code;
      if (view.paused) continue;
      try {
        shown = withState(await read(), shown.prices);
        failure = undefined;
      } catch (error) {
        failure = errorMessage(error);
      }
      if (!ended.signal.aborted) draw();
    }
  } finally {
    close();
  }
}

/** A state, and the prices until then. */
function withState(state: TopState, before: readonly PricePoint[]) {
  return { state, prices: withPoint(before, state) };
}

/** What a terminal that shows the lines before must receive to show these. */
function changes(before: readonly string[], lines: readonly string[]): string {
  return lines.map((line, at) => (line === before[at] ? '' : `\u001B[${at + 1};1H${line}\u001B[K`)).join('');
}
