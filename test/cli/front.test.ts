import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kerf-front-'));
  cpSync(join(ROOT, 'bin/kerf.js'), join(folder, 'bin/kerf.js'));
  mkdirSync(join(folder, 'lib/cli'), { recursive: true });
  writeFileSync(join(folder, 'lib/cli/main.ts'), '');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'node-20.cjs'),
    "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });",
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function kerf(root: string, ...args: readonly string[]): Promise<{ readonly code: number; readonly stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ readonly code: number; readonly stderr: string }>();
  const child = execFile(process.execPath, [...args, join(root, 'bin/kerf.js'), '--version'], (_error, _out, stderr) =>
    resolve({ code: child.exitCode ?? -1, stderr }),
  );
  return promise;
}

test('before npm ci, kerf prints one line with the command to run', async () => {
  expect(await kerf(folder)).toEqual({
    code: 3,
    stderr: 'kerf: its packages are not installed: run "npm ci" first\n',
  });
});

test('without the sources, which the package does not have, kerf runs on Node.js 20.12 and not on an older one', async () => {
  const alone = join(folder, 'package');
  cpSync(join(ROOT, 'bin/kerf.js'), join(alone, 'bin/kerf.js'));
  mkdirSync(join(alone, 'dist/cli'), { recursive: true });
  writeFileSync(join(alone, 'dist/cli/missing-in-node-20.js'), "process.stderr.write('filled in, ');");
  writeFileSync(join(alone, 'dist/cli/main.js'), "process.stderr.write('run');");
  const old = join(folder, 'node-20-9.cjs');
  writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { node: '20.9.0' } });");
  expect(await kerf(alone, '--require', old)).toEqual({
    code: 3,
    stderr: 'kerf: Node.js 20.9.0 is too old: install Node.js 20.12 or newer\n',
  });
  expect(await kerf(alone, '--require', join(folder, 'node-20.cjs'))).toEqual({ code: 0, stderr: 'filled in, run' });
});

test('on an older Node.js, kerf prints one line with instructions', async () => {
  const { code, stderr } = await kerf(ROOT, '--require', join(folder, 'node-20.cjs'));
  expect(code).toBe(3);
  expect(stderr).toMatch(/^kerf: Node\.js 20\.20\.2 is too old: install Node\.js 24, or run "npm run kerf -- .*\n$/);
});
