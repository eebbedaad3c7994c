import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KERF, openWindow, quoted } from './tmux.ts';

/** The scripts of `kerf completion` in real shells. */

const folder = mkdtempSync(join(tmpdir(), 'kerf-shells-'));
const path = `${folder}:${process.env['PATH']}`;

beforeAll(() => {
  const program = join(folder, 'kerf');
  writeFileSync(program, `#!/bin/sh\nexec ${KERF} "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'cluster.json'), '{}');
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['kerf pl', ['plan\tShow the decision for manifests or a snapshot of a cluster']],
  ['kerf completion ', ['bash', 'zsh', 'fish']],
  ['kerf simulate --show h', ['hours']],
  ['kerf plan disruption --sn', ['--snapshot']],
  ['kerf validate clu', ['cluster.json']],
])('fish completes "%s"', (line, expected) => {
  const ask = `kerf completion fish | source; complete -C ${quoted(line)}`;
  const { stdout, stderr, error } = spawnSync('fish', ['--no-config', '-c', ask], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, PATH: path },
  });
  expect({ error, stderr }).toEqual({ error: undefined, stderr: '' });
  const proposals = stdout.trim().split('\n');
  for (const one of expected)
    expect(
      proposals.some((proposal) => proposal.startsWith(one)),
      stdout,
    ).toBe(true);
  expect(proposals).toHaveLength(expected.length);
});

test.each([
  ['kerf pl', 'kerf plan'],
  ['kerf simulate --show h', 'kerf simulate --show hours'],
  ['kerf plan disruption --sn', 'kerf plan disruption --snapshot'],
  ['kerf validate clu', 'kerf validate cluster.json'],
])('zsh completes "%s" in its line', async (line, expected) => {
  const start = `cd ${quoted(folder)}; PATH=${quoted(path)} PS1='%% ' exec zsh -f -i`;
  const { keys, until, close } = openWindow(start, { columns: 100, rows: 20 });
  try {
    await until((text) => text.startsWith('%'));
    keys('autoload -Uz compinit && compinit -u -D && source <(kerf completion zsh) && echo ready', 'Enter');
    await until((_, lines) => lines.includes('ready'));
    keys(line, 'Tab');
    await until((_, lines) => lines.some((one) => one.trim() === `% ${expected}`));
  } finally {
    close();
  }
});

test('zsh lists commands with what they do', async () => {
  const start = `cd ${quoted(folder)}; PATH=${quoted(path)} PS1='%% ' exec zsh -f -i`;
  const { keys, until, close } = openWindow(start, { columns: 100, rows: 40 });
  try {
    await until((text) => text.startsWith('%'));
    keys('autoload -Uz compinit && compinit -u -D && source <(kerf completion zsh) && echo ready', 'Enter');
    await until((_, lines) => lines.includes('ready'));
    keys('kerf ', 'Tab', 'Tab');
    await until((text) => /^doctor +-- Check a cluster/m.test(text) && /^simulate +-- Run manifests/m.test(text));
  } finally {
    close();
  }
});
