/** The AWS emulator moto, started by `scripts/moto`: EC2, SSM, IAM and the price list. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPython } from '../python-program.ts';
import { freePort, type Server, startServer } from '../server.ts';

const HOME = import.meta.dirname;
const REQUIREMENTS = join(HOME, 'requirements.txt');
const PRICES = join(HOME, '..', '..', 'data', 'regions', 'us-east-1.json');

export interface Moto extends Server {
  readonly endpoint: string;
}

export async function startMoto(cache: string, folder: string): Promise<Moto> {
  const version = /^moto==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? 'unknown';
  const bin = installPython(cache, { name: `moto-${version}`, packages: ['--requirement', REQUIREMENTS] });
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = await startServer({
    name: 'moto',
    // -B: no bytecode beside the sources.
    command: [join(bin, 'python'), '-B', join(HOME, 'launcher.py'), '--port', String(port), '--prices', PRICES],
    folder,
    ready: `${endpoint}/kerf-test/calls`,
    environment: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  });
  return { ...server, endpoint };
}
