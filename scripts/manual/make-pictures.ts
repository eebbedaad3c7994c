/** Writes the pictures of terminals of the manual, from real runs in tmux: `npm run manual:pictures`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { KERF, openWindow, type Size } from '../../test/terminal/tmux.ts';
import { styledLines } from './styled-lines.ts';
import { type TerminalFrame, terminalSvg } from './terminal-svg.ts';

const DEMO = ['cluster', 'workloads', 'scenario'].map((name) => `examples/demo/${name}.yaml`).join(' ');

interface Take {
  readonly name: string;
  /** What the bar of the window shows. */
  readonly title: string;
  readonly command: string;
  readonly size: Size;
  /** Waits for this text first. */
  readonly from: RegExp;
  /** How often and how many times the terminal is looked at. @default once */
  readonly looks?: { readonly everyMs: number; readonly count: number };
}

const TAKES: readonly Take[] = [
  {
    name: 'plan',
    title: 'kerf plan provisioning --snapshot examples/plan/cluster.json',
    command: 'plan provisioning --snapshot examples/plan/cluster.json',
    size: { columns: 104, rows: 37 },
    from: /exit code/,
  },
  {
    name: 'top',
    title: 'kerf simulate examples/demo/*.yaml --top --speed 90',
    command: `simulate ${DEMO} --top --speed 90`,
    size: { columns: 100, rows: 28 },
    from: /NODE /,
    looks: { everyMs: 1_000, count: 60 },
  },
  {
    name: 'simulate',
    title: 'kerf simulate examples/demo/*.yaml --speed 60 --show decisions',
    command: `simulate ${DEMO} --speed 60 --show decisions`,
    size: { columns: 120, rows: 30 },
    from: /decide/,
    looks: { everyMs: 1_000, count: 66 },
  },
];

const folder = join(import.meta.dirname, '../../docs/pictures');
const SHOWN_MS = 500;
const names = process.argv.slice(2);
for (const take of TAKES.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const svg = await pictureOf(take);
  writeFileSync(join(folder, `${take.name}.svg`), svg);
  console.log(`docs/pictures/${take.name}.svg: ${Math.round(svg.length / 1_024)} KiB`);
}

async function pictureOf({ title, command, size, from, looks = { everyMs: 0, count: 1 } }: Take): Promise<string> {
  const window = openWindow(`FORCE_COLOR=1 ${KERF} ${command}`, size, { color: true });
  try {
    await window.until((text) => from.test(text));
    const frames: TerminalFrame[] = [];
    let before = '';
    for (let look = 0; look < looks.count; look++) {
      const text = window.styled().replace(/\n?exit code \d+\s*$/, '');
      if (text !== before) frames.push({ atMs: look * SHOWN_MS, lines: styledLines(text) });
      before = text;
      await setTimeout(looks.everyMs);
    }
    return terminalSvg({ title, ...size, frames, lastMs: 5_000 });
  } finally {
    window.close();
  }
}
