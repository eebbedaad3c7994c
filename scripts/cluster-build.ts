/**
 * Builds the programs of a real Kubernetes control plane for tests, from the Go module in `scripts/control-plane`, into a
 * cache outside the checkout: once for each machine, not for each clone. Needs Go and, once, its module proxy.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const MODULE = join(import.meta.dirname, 'control-plane');
const PROGRESS_EVERY_MS = 30_000;

/** What is built, of the tools that go.mod lists. */
const BINARIES = [
  { name: 'etcd', program: 'go.etcd.io/etcd/server/v3' },
  { name: 'kube-apiserver', program: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kube-scheduler', program: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  { name: 'kube-controller-manager', program: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  { name: 'kubectl', program: 'k8s.io/kubernetes/cmd/kubectl' },
] as const;

export type BinaryName = (typeof BINARIES)[number]['name'];

/** The programs that run; kubectl is one that tests call. */
export type ServerName = Exclude<BinaryName, 'kubectl'>;

if (import.meta.main) {
  const interrupted = abortOnSignals();
  try {
    const folder = await buildControlPlane(interrupted);
    for (const { name } of BINARIES) console.log(join(folder, name));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Signals no longer end this process at once: it must end its children first. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

/**
 * *Shape:* the folder that holds each binary under its name. *Errors:* an Error that names what is missing on this machine,
 * or what did not compile.
 */
export async function buildControlPlane(interrupted: AbortSignal): Promise<string> {
  const goMod = readFileSync(join(MODULE, 'go.mod'), 'utf8');
  const kubernetes = versionIn(goMod, /^\s+k8s\.io\/kubernetes v(\S+)/m);
  const go = installedGo(versionIn(goMod, /^go (\S+)$/m));
  const options = ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', linkerFlags(kubernetes)];
  const folder = join(cacheFolder(), hashOf([goMod, readFileSync(join(MODULE, 'go.sum'), 'utf8'), go, options]));
  mkdirSync(folder, { recursive: true });
  for (const { name, program } of BINARIES) {
    const target = join(folder, name);
    if (!existsSync(target)) await build({ name, program, options, target, interrupted });
  }
  return folder;
}

interface Build {
  readonly name: BinaryName;
  readonly program: string;
  readonly options: readonly string[];
  readonly target: string;
  readonly interrupted: AbortSignal;
}

/** The binary gets its name when it is complete, so an interrupted build, or two at once, leave no partial binary. */
async function build({ name, program, options, target, interrupted }: Build): Promise<void> {
  const startedMs = Date.now();
  const elapsed = (): string => `${Math.round((Date.now() - startedMs) / 1_000)} s`;
  console.log(`${name}: building (the first time, the five take 5 to 12 minutes together)`);
  const progress = setInterval(() => console.log(`${name}: building, ${elapsed()}`), PROGRESS_EVERY_MS);
  const folder = mkdtempSync(`${target}-unfinished-`);
  try {
    const unfinished = join(folder, name);
    const code = await runGo([...options, '-o', unfinished, program], folder, interrupted);
    if (interrupted.aborted) throw new Error(`${name} was not built: interrupted`);
    if (code !== 0) throw new Error(`${name} was not built: go ended with exit code ${code}`);
    renameSync(unfinished, target);
  } finally {
    clearInterval(progress);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  console.log(`${name}: built in ${elapsed()}`);
}

/** *Shape:* the exit code. An interrupted go leaves its compilers and its temporary files, so this function ends and deletes them. */
async function runGo(options: readonly string[], folder: string, interrupted: AbortSignal): Promise<number> {
  interrupted.throwIfAborted();
  const child = spawn('go', [...options], {
    cwd: MODULE,
    env: { ...goEnvironment(), GOTMPDIR: folder },
    stdio: ['ignore', 'inherit', 'inherit'],
    // In a separate process group, which can be ended as one.
    detached: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1)).once('error', reject);
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  interrupted.addEventListener('abort', end, { once: true });
  try {
    return await promise;
  } finally {
    interrupted.removeEventListener('abort', end);
  }
}

/** Builds for this machine, with the installed Go and without a C compiler, independently of the developer's settings. */
function goEnvironment(): NodeJS.ProcessEnv {
  const { GOOS: _os, GOARCH: _arch, ...rest } = process.env;
  return { ...rest, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOTOOLCHAIN: 'local' };
}

/** *Shape:* its version and platform. Runs outside the module, in which a Go that is too old does not print them. */
function installedGo(wanted: string): string {
  const what = `install Go ${wanted} or newer, which builds the control plane of the cluster tests`;
  const { status, stdout, error } = spawnSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    cwd: tmpdir(),
    env: goEnvironment(),
    encoding: 'utf8',
  });
  if (error !== undefined) throw new Error(`go is missing: ${what}`);
  const found = /^go(\d+)\.(\d+)/.exec(stdout);
  if (status !== 0 || found === null) throw new Error(`go does not print its version: ${what}`);
  const [major = 0, minor = 0] = wanted.split('.').map(Number);
  const isOlder = Number(found[1]) < major || (Number(found[1]) === major && Number(found[2]) < minor);
  if (isOlder) throw new Error(`${found[0]} is too old: ${what}`);
  return stdout.trim();
}

/** Without these flags, Kubernetes' programs report v0.0.0-master. */
function linkerFlags(kubernetes: string): string {
  const [major = '', minor = ''] = kubernetes.split('.');
  const version = { gitVersion: `v${kubernetes}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const variables = Object.entries(version).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-s', '-w', ...variables].join(' ');
}

function versionIn(goMod: string, pattern: RegExp): string {
  const version = pattern.exec(goMod)?.[1];
  if (version === undefined) throw new Error(`scripts/control-plane/go.mod has no line like ${pattern.source}`);
  return version;
}

function cacheFolder(): string {
  const configured = process.env['XDG_CACHE_HOME'];
  const cache = configured === undefined || configured === '' ? join(homedir(), '.cache') : configured;
  return join(cache, 'kerf', 'control-plane');
}

function hashOf(inputs: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16);
}
