import { type ExecFileOptions, execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** The oldest Node.js of the package, as npm has it for this machine. */
const NODE_20 = `node-${process.platform}-${process.arch}@20.20.2`;

/** The output of a program, and its exit code. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** The package in a folder that holds nothing else, beside a Node.js 20 in another folder. */
export interface Installed {
  /** The folder in which the user stands. */
  readonly folder: string;
  readonly tarball: string;
  /** What npm printed while it packed. */
  readonly packed: Ended;
  readonly nodeVersion: string;
  /** Runs the installed command on Node.js 20. */
  kerf(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Ended>;
  /** Runs the sources on the Node.js of the tests, from the same folder. */
  sources(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Ended>;
  remove(): void;
}

/** Packs the repository, and installs the tarball in an empty folder. *Errors:* if npm cannot pack or install. */
export async function installPackage(): Promise<Installed> {
  const parent = mkdtempSync(join(tmpdir(), 'kerf-package-'));
  const [folder, node] = [join(parent, 'empty'), join(parent, 'node')];
  const packed = await succeeded('npm', ['pack', '--pack-destination', parent], { cwd: ROOT, env: clean() });
  const [name = ''] = readdirSync(parent).filter((file) => file.endsWith('.tgz'));
  const tarball = join(parent, name);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  await succeeded('npm', ['install', ...quiet, '--prefix', folder, tarball], { cwd: parent, env: clean() });
  await succeeded('npm', ['install', ...quiet, '--prefix', node, NODE_20], { cwd: parent, env: clean() });
  const bin = join(node, 'node_modules/.bin');
  const path = [bin, process.env['PATH']].join(delimiter);
  const { stdout: nodeVersion } = await succeeded(join(bin, 'node'), ['--version'], {});
  return {
    folder,
    tarball,
    packed,
    nodeVersion: nodeVersion.trim(),
    kerf: async (args, environment) =>
      await run(join(folder, 'node_modules/.bin/kerf'), args, {
        cwd: folder,
        env: { ...clean(), ...environment, PATH: path },
      }),
    sources: async (args, environment) =>
      await run(process.execPath, [join(ROOT, 'bin/kerf.js'), ...args], {
        cwd: folder,
        env: { ...clean(), ...environment },
      }),
    remove: () => rmSync(parent, { recursive: true }),
  };
}

/** The environment without what npm gives to its scripts, and without the account and the cluster of the developer. */
function clean(): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD|AWS_|KUBECONFIG|NODE_OPTIONS)/.test(name),
  );
  return {
    ...Object.fromEntries(given),
    HOME: '/nonexistent',
    npm_config_cache: npmCache(),
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** So that packages which are already on this machine are not fetched again. */
function npmCache(): string {
  return process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? tmpdir(), '.npm');
}

async function succeeded(program: string, args: readonly string[], options: ExecFileOptions): Promise<Ended> {
  const ended = await run(program, args, options);
  expect(ended, `${program} ${args.join(' ')}`).toMatchObject({ code: 0 });
  return ended;
}

async function run(program: string, args: readonly string[], options: ExecFileOptions): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = execFile(
    program,
    [...args],
    { ...options, encoding: 'utf8', maxBuffer: 2 ** 28 },
    (error, stdout, stderr) => resolve({ stdout, stderr, code: child.exitCode ?? (error === null ? 0 : -1) }),
  );
  child.stdin?.end();
  return await promise;
}
