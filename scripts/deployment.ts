/** Deploys the stack into the emulators with the real `cdk bootstrap` and `cdk deploy`, and runs the tests on it. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';

const ROOT = join(import.meta.dirname, '..');
const CDK = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

export interface DeploymentPlan {
  /** `deployEnvironment` of the emulators. */
  readonly environment: NodeJS.ProcessEnv;
  /** Outside the checkout: the emulators' workers are CommonJS, and ours is a package of modules. */
  readonly folder: string;
  /** As in the CDK context `clusters`. */
  readonly cluster: { readonly name: string; readonly [option: string]: unknown };
}

/** *Shape:* the file with the outputs of the stack. *Errors:* an Error that names the command that failed. */
export async function deployKerf({ environment, folder, cluster }: DeploymentPlan): Promise<string> {
  await createCluster(environment, cluster.name);
  const outputs = join(folder, 'outputs.json');
  const assembly = join(folder, 'cdk.out');
  const shared = ['--context', `clusters=${JSON.stringify([cluster])}`, '--output', assembly];
  await must('cdk bootstrap', environment, [CDK, 'bootstrap', ...shared, 'aws://123456789012/us-east-1']);
  await must('cdk synth', environment, [CDK, 'synth', 'Kerf', '--quiet', ...shared]);
  leaveOutUnknown(join(assembly, 'Kerf.template.json'));
  const options = ['--method=direct', '--require-approval=never', '--outputs-file', outputs];
  await must('cdk deploy', environment, [CDK, 'deploy', 'Kerf', '--app', assembly, ...options]);
  return outputs;
}

/** The types of resources that ministack does not know. No other resource refers to one of them. */
const UNKNOWN: readonly unknown[] = ['AWS::Logs::QueryDefinition', 'AWS::Events::Archive'];

function leaveOutUnknown(file: string): void {
  const template: { Resources: Record<string, { readonly Type?: unknown }> } = JSON.parse(readFileSync(file, 'utf8'));
  const [known, unknown] = [{}, []] as [typeof template.Resources, string[]];
  for (const [id, resource] of Object.entries(template.Resources)) {
    if (UNKNOWN.includes(resource.Type)) unknown.push(id);
    else known[id] = resource;
  }
  writeFileSync(file, JSON.stringify({ ...template, Resources: known }));
  console.log(`left out, because ministack does not know their types: ${unknown.join(', ')}`);
}

/** *Shape:* the exit code. */
export async function runProject(
  project: string,
  vitestOptions: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  return await run('vitest', [VITEST, 'run', '--project', project, ...vitestOptions], environment);
}

/** EKS stores its access entries; it has no API server. */
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
