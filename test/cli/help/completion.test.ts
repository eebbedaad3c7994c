import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKerf } from '../run-kerf.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The proposals after these words, of which the last is incomplete. */
async function after(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runKerf(['__complete', ...words]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
}

test('commands, flags and the values of flags are proposed', async () => {
  expect(await after('')).toEqual(expect.arrayContaining(['simulate', 'plan', 'completion']));
  expect(await after('sim')).toEqual(['simulate']);
  expect(await after('plan', '')).toEqual(['provisioning', 'disruption']);
  expect(await after('simulate', '--s')).toEqual(['--seed', '--speed', '--show']);
  expect(await after('simulate', '--show', 'h')).toEqual(['hours']);
  expect(await after('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await after('help', 'wh')).toEqual(['why']);
});

test('where a file may follow, nothing is proposed, so that the shell completes its name', async () => {
  expect(await after('validate', '')).toEqual([]);
  expect(await after('plan', 'provisioning', '--snapshot', '')).toEqual([]);
});

test('each proposal has a description', async () => {
  const { stdout, code } = await runKerf(['__complete', 'plan', 'd']);
  expect({ stdout, code }).toEqual({
    stdout: 'disruption\tShow the nodes that disruption would remove or replace, and what it saves\n',
    code: 0,
  });
});

test('an unknown shell is refused', async () => {
  const { stderr, code } = await runKerf(['completion', 'tcsh']);
  expect({ stderr, code }).toEqual({ stderr: 'SHELL: "tcsh" is not allowed; write bash, zsh or fish\n', code: 2 });
});

test.each([
  ['kerf pl', ['plan']],
  ['kerf plan disruption --out', ['--output']],
  ['kerf plan disruption --output j', ['json']],
  ['kerf validate ', []],
])('bash completes "%s"', async (line, proposals) => {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-completion-'));
  try {
    const program = join(folder, 'kerf');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/bin/kerf.js' "$@"\n`);
    chmodSync(program, 0o755);
    const { stdout: script } = await runKerf(['completion', 'bash']);
    const words = line.split(' ').map((word) => `'${word}'`);
    const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _kerf; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${ask}`], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    });
    expect({ stderr, proposals: stdout.split('\n').filter((word) => word !== '') }).toEqual({ stderr: '', proposals });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
