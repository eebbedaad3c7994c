/**
 * Starts the emulators of AWS (ministack, moto, DynamoDB Local), deploys the stack into them with the real `cdk bootstrap`
 * and `cdk deploy`, then runs the tests of `test/aws` against them. Options go to vitest. Needs python3 with venv and pip,
 * Java and Maven, and, once, PyPI and Maven Central.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployKerf, runProject } from './deployment.ts';
import { type Emulators, startEmulators } from './emulators.ts';
import { freePort } from './server.ts';

/** Ctrl-C also reaches the children: they end, and then everything that was started is stopped. */
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(vitestOptions: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-test-aws-'));
  try {
    const emulators = await startEmulators(folder);
    try {
      return await deployAndTest(emulators, folder, vitestOptions);
    } finally {
      await emulators.stop();
      console.log('the emulators are stopped');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function deployAndTest(
  { environment, deployEnvironment }: Emulators,
  folder: string,
  vitestOptions: readonly string[],
): Promise<number> {
  const clusterPort = await freePort();
  // The test is the API server of this cluster. With version and service network, EKS is not called.
  const cluster = {
    name: 'demo',
    metrics: true,
    endpoint: `http://127.0.0.1:${clusterPort}`,
    serviceCidr: '10.100.0.0/16',
    kubernetesVersion: '1.35',
    makeNodeRole: true,
    // Nothing answers at the endpoint while it is deployed; `test:story` installs into a real API server.
    install: false,
  };
  const outputs = await deployKerf({ environment: deployEnvironment, folder, cluster });
  const told = { ...environment, KERF_OUTPUTS: outputs, KERF_CLUSTER_PORT: String(clusterPort) };
  return await runProject('aws', vitestOptions, told);
}
