/** An etcd and a kube-apiserver on free ports of 127.0.0.1, with all that they write in one folder; stopped without a trace. */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { BinaryName } from './cluster-build.ts';
import { freePort } from './server.ts';

const START_WITHIN_MS = 120_000;
const ANSWER_WITHIN_MS = 2_000;

export interface ControlPlane {
  readonly endpoint: string;
  /** A PEM file, in the folder. */
  readonly certificateAuthority: string;
  /** Of a member of `system:masters`. */
  readonly token: string;
  readonly stop: () => Promise<void>;
}

export interface ControlPlaneOptions {
  /** The folder that `buildControlPlane` filled. */
  readonly binaries: string;
  readonly folder: string;
  readonly interrupted: AbortSignal;
}

interface Started {
  readonly name: BinaryName;
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
}

/** *Errors:* an Error with the end of the log of what did not start. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { folder } = options;
  const started: Started[] = [];
  // Their data goes with the folder: nothing is gained by a shutdown in good order, and nothing outlives this signal.
  const stop = async (): Promise<void> => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ exited }) => exited));
  };
  try {
    const etcd = `http://127.0.0.1:${await freePort()}`;
    const peers = `http://127.0.0.1:${await freePort()}`;
    started.push(start('etcd', etcdFlags(folder, etcd, peers), options));
    const port = await freePort();
    const access = writeAccess(folder);
    started.push(start('kube-apiserver', apiServerFlags({ folder, etcd, port }), options));
    const endpoint = `https://127.0.0.1:${port}`;
    await ready({ endpoint, ...access }, started, options.interrupted);
    return { endpoint, ...access, stop };
  } catch (error) {
    await stop();
    if (options.interrupted.aborted)
      throw new Error('the control plane was not started: interrupted', { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    const logs = started.map(({ name }) => `${name}:\n${readFileSync(logOf(folder, name), 'utf8').slice(-2_000)}`);
    throw new Error([`the control plane did not start: ${reason}`, ...logs].join('\n'), { cause: error });
  }
}

function start(name: BinaryName, flags: readonly string[], { binaries, folder }: ControlPlaneOptions): Started {
  const output = openSync(logOf(folder, name), 'w');
  const child = spawn(join(binaries, name), [...flags], { cwd: folder, stdio: ['ignore', output, output] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  return { name, child, exited };
}

function logOf(folder: string, name: BinaryName): string {
  return join(folder, `${name}.log`);
}

function etcdFlags(folder: string, clients: string, peers: string): readonly string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
}

/** The API server makes its own certificate, and with it the authority that signed it: neither openssl nor a package is needed. */
function writeAccess(folder: string): { readonly certificateAuthority: string; readonly token: string } {
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates);
  const token = randomBytes(16).toString('hex');
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'service-accounts.key'), privateKey.export({ type: 'sec1', format: 'pem' }));
  return { certificateAuthority: join(certificates, 'apiserver.crt'), token };
}

/** Admission is EKS's as far as it is public. */
function apiServerFlags(at: {
  readonly folder: string;
  readonly etcd: string;
  readonly port: number;
}): readonly string[] {
  const serviceAccounts = join(at.folder, 'service-accounts.key');
  return [
    `--etcd-servers=${at.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${at.port}`,
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${join(at.folder, 'certificates')}`,
    `--token-auth-file=${join(at.folder, 'tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction,ExtendedResourceToleration',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccounts}`,
    `--service-account-signing-key-file=${serviceAccounts}`,
    '--service-cluster-ip-range=10.100.0.0/16',
  ];
}

type Access = Omit<ControlPlane, 'stop'>;

async function ready(access: Access, started: readonly Started[], interrupted: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_WITHIN_MS;
  while (!(await answersReady(access, interrupted))) {
    const ended = started.find(
      ({ child }) => child.exitCode !== null || child.signalCode !== null || child.pid === undefined,
    );
    if (ended !== undefined)
      throw new Error(`${ended.name} ended with ${ended.child.exitCode ?? ended.child.signalCode}`);
    if (Date.now() > deadline) throw new Error(`no answer in ${START_WITHIN_MS} ms`);
    await setTimeout(50, undefined, { signal: interrupted });
  }
}

async function answersReady(access: Access, interrupted: AbortSignal): Promise<boolean> {
  const { endpoint, certificateAuthority, token } = access;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  try {
    const options = {
      ca: readFileSync(certificateAuthority),
      headers: { authorization: `Bearer ${token}` },
      agent: false,
      // A server that starts or stops may take a request and never answer it.
      signal: AbortSignal.any([interrupted, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    };
    request(`${endpoint}/readyz`, options, (response) => resolve(response.resume().statusCode === 200))
      .on('error', () => resolve(false))
      .end();
  } catch {
    // Its certificate is not written yet.
    return false;
  }
  return await promise;
}
