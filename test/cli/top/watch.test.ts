import { expect, test } from 'vitest';
import { keysIn, type Terminal, type TerminalEvents } from '../../../lib/cli/top/terminal.ts';
import type { TopState } from '../../../lib/cli/top/top-state.ts';
import { watch } from '../../../lib/cli/top/watch.ts';
import { aTopState } from './states.ts';

interface Played {
  readonly events: TerminalEvents;
  readonly size: { columns: number; rows: number };
  /** What was written since the last call. */
  readonly written: () => string;
}

type Step = (played: Played) => void;

/** Runs the shell at a terminal in memory: before each read but the first, the next step presses keys. */
async function play(steps: readonly Step[], states: readonly (TopState | Error)[] = [aTopState(100)]) {
  const size = { columns: 80, rows: 24 };
  let [text, taken, reads, at] = ['', 0, 0, 0];
  let opened: TerminalEvents | undefined;
  let closed = 0;
  const terminal: Terminal = {
    size: () => ({ ...size }),
    write: (more) => void (text += more),
    open(events, leave) {
      opened = events;
      return () => {
        closed += 1;
        text += leave;
      };
    },
  };
  const written = (): string => {
    const more = readable(text.slice(taken));
    taken = text.length;
    return more;
  };
  const sleep = async (): Promise<void> => {
    const step = steps[at];
    at += 1;
    if (opened !== undefined) step?.({ events: opened, size, written });
  };
  const read = async (): Promise<TopState> => {
    const state = states[Math.min(reads, states.length - 1)] ?? aTopState(0);
    reads += 1;
    if (state instanceof Error) throw state;
    return state;
  };
  const view = { sort: 'price', offset: 0, paused: false, help: false } as const;
  const ended = watch({ sleep, color: false }, { terminal, read, everyMs: 1_000, view });
  const code = await ended.catch((error: unknown) => error);
  return { code, text: readable(text), closed: () => closed, reads: () => reads };
}

function readable(text: string): string {
  return text.replaceAll('\u001B', '<ESC>');
}

const QUIT: Step = ({ events }) => events.key('q');

test('q leaves the alternate screen, and shows the cursor again', async () => {
  const { code, text, closed } = await play([QUIT]);
  expect({ code, closed: closed() }).toEqual({ code: 0, closed: 1 });
  expect(text).toMatch(/^<ESC>\[\?1049h<ESC>\[\?25l/);
  expect(text).toMatch(/<ESC>\[\?25h<ESC>\[\?1049l$/);
});

test('Ctrl-C and signals end it with 130, and the terminal is restored', async () => {
  for (const step of [({ events }: Played) => events.key('\u0003'), ({ events }: Played) => events.stop()]) {
    const { code, closed } = await play([step]);
    expect({ code, closed: closed() }).toEqual({ code: 130, closed: 1 });
  }
});

test('only lines that changed are drawn', async () => {
  const later = aTopState(100, { atMs: Date.parse('2026-01-31T08:00:00Z'), cluster: 'other' });
  await play(
    [
      ({ written }) => expect(written().match(/<ESC>\[\d+;1H/g)?.length).toBeGreaterThan(20),
      ({ written, events }) => {
        // The same state was read again.
        expect(written()).toBe('');
        events.key('x');
        expect(written()).toBe('');
        events.key('s');
        expect(written()).toContain('by used');
      },
      ({ written, events }) => {
        expect(written()).toMatch(/^<ESC>\[1;1Hother: [^<]*<ESC>\[K$/);
        events.key('q');
      },
    ],
    [aTopState(100), aTopState(100), later],
  );
  expect.assertions(5);
});

test('a resize draws the whole frame in the new size', async () => {
  await play([
    ({ events, size, written }) => {
      written();
      Object.assign(size, { columns: 200, rows: 50 });
      events.resize();
      expect(written()).toContain('WHY IT STAYS');
      events.key('q');
    },
  ]);
  expect.assertions(1);
});

test('a pause reads nothing until space continues', async () => {
  const { reads } = await play([({ events }) => events.key(' '), ({ events }) => events.key(' '), QUIT]);
  expect(reads()).toBe(2);
});

test('a later read that fails is shown, and the next one is tried', async () => {
  await play(
    [
      () => {},
      ({ written }) => expect(written()).toContain('not read since: no route to host'),
      ({ written, events }) => {
        expect(written()).toMatch(/;1H2026-01-31T08:00:00Z  no node changes<ESC>\[K/);
        events.key('q');
      },
    ],
    [aTopState(3), new Error('no route to host'), aTopState(3)],
  );
  expect.assertions(2);
});

test('a first read that fails leaves the terminal as it is', async () => {
  const { code, text } = await play([], [new Error('no route to host')]);
  expect({ code, text }).toEqual({ code: new Error('no route to host'), text: '' });
});

test('a fault while drawing restores the terminal', async () => {
  const { code, closed } = await play([
    () => {
      throw new TypeError('a bug');
    },
  ]);
  expect({ code, closed: closed() }).toEqual({ code: new TypeError('a bug'), closed: 1 });
});

test('keys that arrive together are told apart', () => {
  expect(keysIn('s\u001B[B\u001BOA\u001B[6~q')).toEqual(['s', '\u001B[B', '\u001BOA', '\u001B[6~', 'q']);
});
