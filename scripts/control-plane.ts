/**
 * A Kubernetes control plane on free ports of 127.0.0.1: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, with
 * all their files in one folder, which is deleted at the end. It has no nodes: `test/rig` simulates them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ServerName } from './cluster-build.ts';
import { type ControlPlaneAccess, type Layout, type StaticUser, writeAccess } from './control-plane-access.ts';
import { type ControlPlaneTuning, flagsOf } from './control-plane-flags.ts';
import { compact } from './etcd-history.ts';
import { freePort } from './server.ts';

const START_WITHIN_MS = 120_000;
const ANSWER_WITHIN_MS = 2_000;
/** The controllers must create it before the first pod: admission refuses pods of a missing account. */
const DEFAULT_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

export interface ControlPlane extends ControlPlaneAccess {
  /** The address of etcd, with plain HTTP. */
  readonly etcd: string;
  /** Killed, and started again on the same port with the same etcd; ready when this returns. Every WATCH ends. */
  readonly restartApiServer: () => Promise<void>;
  /**
   * Deletes all old versions from etcd. Note: the API server answers a WATCH from its own cache of events, which this does
   * not affect: it answers an old `resourceVersion` with 410 only after `restartApiServer`.
   */
  readonly compactEtcd: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ControlPlaneOptions extends ControlPlaneTuning {
  /** The folder of the binaries that `buildControlPlane` has built. */
  readonly binaries: string;
  readonly folder: string;
  readonly interrupted: AbortSignal;
  /** @default none: the administrator's token allows impersonation of any user. */
  readonly users?: readonly StaticUser[];
  /** Whether scheduler and controllers run. @default true */
  readonly withControllers?: boolean;
  /** The address of the API server, on this machine. @default '127.0.0.1' */
  readonly address?: '127.0.0.1' | '127.0.0.2';
}

interface Started {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
}

/** *Errors:* an Error with the end of the log of the program that did not start. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder, interrupted, users = [], withControllers = true, address = '127.0.0.1' } = options;
  const layout: Layout = {
    folder,
    etcd: `http://127.0.0.1:${await freePort()}`,
    peers: `http://127.0.0.1:${await freePort()}`,
    address,
    port: await freePort(),
  };
  const access = writeAccess(layout, users);
  const running = new Map<ServerName, Started>();
  const run = (name: ServerName): void => void running.set(name, start(name, flagsOf(name, layout, options), options));
  const until = async (path: string): Promise<void> => await answered({ access, path, running, interrupted });
  // Their data is deleted with the folder, so they need no orderly shutdown, and this signal ends all of them.
  const stop = async (...names: readonly ServerName[]): Promise<void> => {
    const ending = names.flatMap((name) => running.get(name) ?? []);
    for (const { child } of ending) child.kill('SIGKILL');
    await Promise.all(ending.map(({ exited }) => exited));
  };
  try {
    run('etcd');
    run('kube-apiserver');
    await until('/readyz');
    if (withControllers) {
      run('kube-controller-manager');
      run('kube-scheduler');
      await until(DEFAULT_ACCOUNT);
    }
  } catch (error) {
    await stop(...running.keys());
    throw notStarted({ folder, running, interrupted, error });
  }
  return {
    ...access,
    etcd: layout.etcd,
    restartApiServer: async () => {
      await stop('kube-apiserver');
      run('kube-apiserver');
      await until('/readyz');
    },
    compactEtcd: async () => await compact(layout.etcd),
    stop: async () => await stop(...running.keys()),
  };
}

function start(name: ServerName, flags: readonly string[], { binaries, folder }: ControlPlaneOptions): Started {
  const output = openSync(logOf(folder, name), 'a');
  const child = spawn(join(binaries, name), [...flags], { cwd: folder, stdio: ['ignore', output, output] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  return { child, exited };
}

function logOf(folder: string, name: ServerName): string {
  return join(folder, `${name}.log`);
}

function notStarted(what: {
  readonly folder: string;
  readonly running: ReadonlyMap<ServerName, Started>;
  readonly interrupted: AbortSignal;
  readonly error: unknown;
}): Error {
  const { folder, running, interrupted, error } = what;
  if (interrupted.aborted) return new Error('the control plane was not started: interrupted', { cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  const logs = [...running.keys()].map(
    (name) => `${name}:\n${readFileSync(logOf(folder, name), 'utf8').slice(-2_000)}`,
  );
  return new Error([`the control plane did not start: ${reason}`, ...logs].join('\n'), { cause: error });
}

async function answered(question: {
  readonly access: ControlPlaneAccess;
  readonly path: string;
  readonly running: ReadonlyMap<ServerName, Started>;
  readonly interrupted: AbortSignal;
}): Promise<void> {
  const { access, path, running, interrupted } = question;
  const deadline = Date.now() + START_WITHIN_MS;
  while (!(await answersOk(access, path, interrupted))) {
    for (const [name, { child }] of running) {
      const ended = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
      if (ended) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
    }
    if (Date.now() > deadline) throw new Error(`${path} was not answered in ${START_WITHIN_MS} ms`);
    await setTimeout(50, undefined, { signal: interrupted });
  }
}

async function answersOk(access: ControlPlaneAccess, path: string, interrupted: AbortSignal): Promise<boolean> {
  const { endpoint, certificateAuthority, token } = access;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const options = {
    ca: readFileSync(certificateAuthority),
    headers: { authorization: `Bearer ${token}` },
    agent: false,
    // A server that starts or stops may accept a request and never answer it.
    signal: AbortSignal.any([interrupted, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  };
  request(`${endpoint}${path}`, options, (response) => resolve(response.resume().statusCode === 200))
    .on('error', () => resolve(false))
    .end();
  return await promise;
}
