/**
 * Starts the emulators of AWS (ministack, moto, DynamoDB Local), deploys the stack into them with the real `cdk bootstrap`
 * and `cdk deploy`, then runs the tests of `test/aws` against them. Options go to vitest. Needs python3 with venv and pip,
 * Java and Maven, and, once, PyPI and Maven Central.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { type Emulators, startEmulators } from './emulators.ts';
import { freePort } from './server.ts';

const ROOT = join(import.meta.dirname, '..');
const CDK = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

/** Ctrl-C reaches the children too: they end, and what was started is put away. */
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(vitestOptions: readonly string[]): Promise<number> {
  // Outside the checkout: the emulators' workers are CommonJS, and ours is a package of modules.
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
  const outputs = join(folder, 'outputs.json');
  // The test is the API server of this cluster; with version and service network given, nobody asks EKS.
  const cluster = {
    name: 'demo',
    endpoint: `http://127.0.0.1:${clusterPort}`,
    serviceCidr: '10.100.0.0/16',
    kubernetesVersion: '1.35',
    makeNodeRole: true,
    // Nothing answers at the endpoint while it is deployed; `test:story` installs into a real API server.
    install: false,
  };
  await createCluster(deployEnvironment, cluster.name);
  const shared = ['--context', `clusters=${JSON.stringify([cluster])}`, '--output', join(folder, 'cdk.out')];
  await must('cdk bootstrap', deployEnvironment, [CDK, 'bootstrap', ...shared, 'aws://123456789012/us-east-1']);
  const deploy = [
    'deploy',
    'Kerf',
    ...shared,
    '--method=direct',
    '--require-approval=never',
    '--outputs-file',
    outputs,
  ];
  await must('cdk deploy', deployEnvironment, [CDK, ...deploy]);
  return await run('vitest', [VITEST, 'run', '--project', 'aws', ...vitestOptions], {
    ...environment,
    KERF_OUTPUTS: outputs,
    KERF_CLUSTER_PORT: String(clusterPort),
  });
}

/** Whom it lets in is EKS's to say; it has no API server. */
async function createCluster(environment: NodeJS.ProcessEnv, name: string): Promise<void> {
  const { AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = environment;
  const eks = new EKSClient({
    ...(AWS_ENDPOINT_URL !== undefined && { endpoint: AWS_ENDPOINT_URL }),
    ...(AWS_REGION !== undefined && { region: AWS_REGION }),
    credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
  });
  await eks.send(
    new CreateClusterCommand({
      name,
      roleArn: 'arn:aws:iam::123456789012:role/cluster',
      resourcesVpcConfig: {},
      accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    }),
  );
  eks.destroy();
}

async function must(name: string, environment: NodeJS.ProcessEnv, command: readonly string[]): Promise<void> {
  const code = await run(name, command, environment);
  if (code !== 0) throw new Error(`${name} failed with exit code ${code}`);
}

/** *Shape:* the exit code. */
async function run(name: string, command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  console.log(`\n== ${name}`);
  const startedMs = Date.now();
  const child = spawn(process.execPath, [...command], { cwd: ROOT, env: environment, stdio: 'inherit' });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1));
  child.once('error', () => resolve(1));
  const code = await promise;
  console.log(`== ${name}: ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
  return code;
}
