/**
 * The whole of it on one machine: a Kubernetes control plane, the emulators of AWS, and the stack deployed between them by the
 * real `cdk deploy`; then the tests of `test/story`, which play the nodes. Options go to vitest. Needs what `test:aws` and
 * `test:cluster` need.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupOf } from '../lib/core/install/rbac.ts';
import { CLUSTER_FUNCTIONS } from '../lib/operator/options/options.ts';
import { startTokenReview } from '../test/cluster/support/token-review.ts';
import { abortOnSignals, buildControlPlane } from './cluster-build.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { clusterEnvironment } from './control-plane-access.ts';
import { deployKerf, runProject } from './deployment.ts';
import { type Emulators, startEmulators } from './emulators.ts';
import { startRigControl } from './rig-control.ts';
import { freePort } from './server.ts';
import { startThrottlingProxy } from './throttling-proxy.ts';

const CLUSTER = 'demo';
const ACCOUNT = '123456789012';
/** An address of this machine other than 127.0.0.1, with which a function of ministack never uses TLS. */
const ADDRESS = '127.0.0.2';

let isInstalled = false;

const interrupted = abortOnSignals();
/** Stops everything that was started, the last first. */
const putAway: (() => unknown)[] = [];
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const put of putAway.toReversed()) await put();
}

async function main(vitestOptions: readonly string[]): Promise<number> {
  const binaries = await buildControlPlane(interrupted);
  const folder = mkdtempSync(join(tmpdir(), 'kerf-test-story-'));
  putAway.push(() => rmSync(folder, { recursive: true, force: true }));
  const dynamoDb = await startThrottlingProxy();
  putAway.push(dynamoDb.close);
  const emulators = await startEmulators(folder, { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint });
  putAway.push(emulators.stop);
  dynamoDb.forwardTo(emulators.deployEnvironment['AWS_ENDPOINT_URL'] ?? '');
  const tokens = await startTokenReview({ cluster: CLUSTER, identityOf });
  putAway.push(tokens.close);
  const tokenWebhookUrl = tokens.url;
  const controlPlane = await startControlPlane({ binaries, folder, interrupted, tokenWebhookUrl, address: ADDRESS });
  putAway.push(controlPlane.stop);
  console.log(`the control plane answers at ${controlPlane.endpoint}`);
  const control = await startRigControl({
    'restart-api-server': controlPlane.restartApiServer,
    'compact-etcd': controlPlane.compactEtcd,
    'throttle-dynamodb': () => dynamoDb.throttle(true),
    'relieve-dynamodb': () => {
      dynamoDb.throttle(false);
      return dynamoDb.refused();
    },
  });
  putAway.push(control.close);
  const environment = { ...clusterEnvironment(controlPlane, binaries), KERF_RIG_CONTROL: control.endpoint };
  return await deployAndTest({ emulators, controlPlane, environment, folder, vitestOptions });
}

/**
 * All functions of ministack have one access key, the account's number: so all of them are one user here. While the stack is
 * deployed that user is the administrator that EKS makes of the installer; from then on it is in the groups of all functions
 * that look at a cluster. That each gets on with its own group is held by `test/cluster/rbac.test.ts`.
 */
function identityOf(accessKeyId: string) {
  if (accessKeyId !== ACCOUNT) return undefined;
  const arn = `arn:aws:sts::${ACCOUNT}:assumed-role/kerf/function`;
  return { secretAccessKey: 'test', arn, groups: isInstalled ? CLUSTER_FUNCTIONS.map(groupOf) : ['system:masters'] };
}

async function deployAndTest(rig: {
  readonly emulators: Emulators;
  readonly controlPlane: ControlPlane;
  /** Of the tests, as far as it is not the emulators'. */
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly vitestOptions: readonly string[];
}): Promise<number> {
  const { emulators, controlPlane, environment, folder, vitestOptions } = rig;
  const webhookUrl = `https://${ADDRESS}:${await freePort()}/`;
  const authority = readFileSync(controlPlane.certificateAuthority).toString('base64');
  const cluster = {
    name: CLUSTER,
    endpoint: controlPlane.endpoint,
    certificateAuthority: authority,
    serviceCidr: '10.100.0.0/16',
    kubernetesVersion: '1.35',
    // The Function URL of the emulator has no TLS: the tests put a proxy before it.
    webhookUrl,
    webhookCertificateAuthority: authority,
  };
  const outputs = await deployKerf({ environment: emulators.deployEnvironment, folder, cluster });
  isInstalled = true;
  return await runProject('story', vitestOptions, {
    ...emulators.environment,
    ...environment,
    KERF_OUTPUTS: outputs,
    KERF_WEBHOOK_URL: webhookUrl,
  });
}
