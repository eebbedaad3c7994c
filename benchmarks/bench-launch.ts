/**
 * Measures the cost of a launch: `npm run bench:launch -- [--runs N]`. Starts the emulators and, in this process, the API
 * server of the cluster; Kerf's functions run in another process, so that its CPU time is that of the functions.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmulators } from '../scripts/emulators.ts';
import { scriptOptions } from '../scripts/script-options.ts';
import { FakeApiServer } from '../test/fakes/api-server.ts';

const MEASURE = join(import.meta.dirname, 'launch', 'measure-launch.ts');

const { values } = scriptOptions({ options: { runs: { type: 'string', default: '10' } } });
if (!/^[1-9]\d*$/.test(values.runs)) throw new RangeError(`--runs is ${values.runs}: allowed is a number from 1`);

/** Ctrl-C also ends the child processes; afterwards everything that was started is removed. */
process.on('SIGINT', () => {});

const folder = mkdtempSync(join(tmpdir(), 'kerf-bench-launch-'));
const api = await FakeApiServer.start();
try {
  const emulators = await startEmulators(folder);
  try {
    process.exitCode = await measure({ ...emulators.environment, KERF_API_SERVER: api.endpoint });
  } finally {
    await emulators.stop();
  }
} finally {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, [MEASURE, values.runs], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (!isLogged(line)) console.log(line);
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1));
  child.once('error', () => resolve(1));
  return await promise;
}

/** Writing logs for CloudWatch is part of the measured work. The logs are not printed, except errors. */
function isLogged(line: string): boolean {
  return line.startsWith('{') && !line.startsWith('{"level":"ERROR"');
}
