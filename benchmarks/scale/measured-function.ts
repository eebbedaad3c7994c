/** A function of the bundle in a limited process, with the memory and the time limit of its template. */
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { writeClusters } from '../../lib/operator/options/cluster-options.ts';
import { CLUSTER_FUNCTIONS, VARIABLES } from '../../lib/operator/options/options.ts';
import type { Wake } from '../../lib/ports/messages.ts';
import { message } from '../../test/operator/messages.ts';
import type { Invoked } from './invoke-function.ts';
import { startLimited } from './limited-process.ts';
import { REGION } from './simulated-fleet.ts';

const INVOKE = join(import.meta.dirname, 'invoke-function.ts');
const CLOCK = join(import.meta.dirname, 'shifted-clock.ts');

export interface DeployedFunction {
  readonly name: string;
  /** The file that Lambda loads. */
  readonly bundle: string;
  readonly memoryMib: number;
  readonly timeoutMs: number;
}

export interface FunctionWorld {
  readonly cluster: string;
  readonly table: string;
  readonly awsEndpoint: string;
  readonly apiEndpoint: string;
  /** What the clock of the function shows now. */
  readonly nowMs: number;
  /** For the logs. */
  readonly folder: string;
}

export interface MeasuredFunction {
  /** CPU time until the function could be called. */
  readonly loadedCpuMs: number;
  readonly invoke: (wake: Omit<Wake, 'cluster'>) => Promise<Invoked>;
  readonly end: () => Promise<void>;
}

export async function startFunction(of: DeployedFunction, world: FunctionWorld): Promise<MeasuredFunction> {
  const { name, bundle, memoryMib, timeoutMs } = of;
  const { process: child, first } = await startLimited({
    args: ['--import', CLOCK, INVOKE, bundle],
    environment: environmentOf(name, world),
    memoryMib,
    log: openSync(join(world.folder, `${name}.log`), 'a'),
  });
  const { cpuMs }: { readonly cpuMs: number } = JSON.parse(first);
  let count = 0;
  return {
    loadedCpuMs: cpuMs,
    async invoke(wake) {
      count += 1;
      const event = { Records: [message(`message-${count}`, { cluster: world.cluster, ...wake })] };
      const invoked: Invoked = JSON.parse(await child.ask(JSON.stringify({ event, timeoutMs })));
      return invoked;
    },
    end: child.end,
  };
}

function environmentOf(name: string, world: FunctionWorld): Readonly<Record<string, string>> {
  const { cluster, apiEndpoint, awsEndpoint, nowMs } = world;
  const queue = (of: string): string => `${awsEndpoint}/123456789012/${of}`;
  return {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'benchmark',
    AWS_SECRET_ACCESS_KEY: 'benchmark',
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_LAMBDA_FUNCTION_NAME: name,
    FLEET_CLOCK_MS: String(nowMs - Date.now()),
    [VARIABLES.clusters]: writeClusters([
      {
        name: cluster,
        endpoint: apiEndpoint,
        serviceCidr: '10.100.0.0/16',
        kubernetesVersion: '1.35',
        dryRunChecks: false,
      },
    ]),
    [VARIABLES.table]: world.table,
    [VARIABLES.account]: '123456789012',
    [VARIABLES.bodies]: 'bodies',
    [VARIABLES.eventBus]: 'kerf',
    [VARIABLES.ownQueue]: queue(name),
    [VARIABLES.webhookUrl]: 'https://webhook.invalid/',
    [VARIABLES.webhookSecret]: 'benchmark',
    ...Object.fromEntries(CLUSTER_FUNCTIONS.map((one) => [VARIABLES.queue(one), queue(one)])),
  };
}
