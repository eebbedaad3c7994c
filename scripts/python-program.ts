/** Python programs that the tests need: each in a virtual environment of its own in `.cache`, installed once. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PythonProgram {
  /** Its folder's name: a new version has a new name. */
  readonly name: string;
  /** What pip installs, pinned. */
  readonly packages: readonly string[];
}

/** *Shape:* the environment's `bin`. *Errors:* an Error that names what is missing on this machine. */
export function installPython(cache: string, { name, packages }: PythonProgram): string {
  const home = join(cache, name);
  const bin = join(home, 'bin');
  const complete = join(home, 'complete');
  if (existsSync(complete)) return bin;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  need('python3', ['--version'], 'python3 is missing: install Python 3.11 or newer');
  need(
    'python3',
    ['-m', 'venv', home],
    'python3 cannot make virtual environments: install its venv module (Debian: python3-venv)',
  );
  const pip = join(bin, 'pip');
  need(pip, ['--version'], 'the virtual environment has no pip: install ensurepip (Debian: python3-venv)');
  const options = ['install', '--quiet', '--disable-pip-version-check'];
  need(pip, [...options, ...packages], `pip cannot install ${name} from its index`);
  writeFileSync(complete, '');
  return bin;
}

/** Runs a program that must succeed. *Errors:* an Error with the program's output and what to do. */
export function need(program: string, options: readonly string[], otherwise: string): void {
  const { status, error, stdout, stderr } = spawnSync(program, options, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`${otherwise}\n${error?.message ?? `${stdout}${stderr}`}`.trimEnd());
}
