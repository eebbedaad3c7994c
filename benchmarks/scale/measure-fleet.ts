/** What is measured at a size: each function cold and warm in an idle cluster, and what it does for pending pods and deleted claims. */
import { CLUSTER } from '../../lib/simulator/deployment.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { putObjects } from '../cluster/etcd.ts';
import { applyDefinitions, settle } from '../cluster/fill.ts';
import { startApiProxy } from './api-proxy.ts';
import { startAwsServer } from './aws-server.ts';
import { type DeployedFunction, type FunctionWorld, startFunction } from './measured-function.ts';
import type { Row } from './rows.ts';
import { aPendingPod, markDeleted, type SimulatedFleet } from './simulated-fleet.ts';

const PENDING_PODS = 500;
/** Of the nodes. */
const DRAINED_SHARE = 0.2;
const TICK = { reason: 'tick' } as const;

export interface FleetPlan {
  readonly nodes: number;
  readonly fleet: SimulatedFleet;
  readonly controlPlane: ControlPlane;
  readonly functions: readonly DeployedFunction[];
  readonly folder: string;
}

interface Step {
  readonly what: string;
  /** Before the invocation. @default nothing */
  readonly change?: () => Promise<void>;
}

export async function* measureFleet(plan: FleetPlan): AsyncGenerator<Row> {
  const { fleet, controlPlane, functions, folder } = plan;
  await applyDefinitions(controlPlane);
  await putObjects(fleet.objects, { etcd: controlPlane.etcd });
  await settle(controlPlane);
  const [aws, api] = [await startAwsServer(fleet), await startApiProxy(controlPlane)];
  const world: FunctionWorld = {
    cluster: CLUSTER,
    table: fleet.table.tableName,
    awsEndpoint: aws.endpoint,
    apiEndpoint: api.endpoint,
    nowMs: fleet.nowMs,
    folder,
  };
  const meter = { take: () => ({ awsCalls: aws.take(), apiRequests: api.take() }) };
  try {
    // The first runs write what the simulator does not have, such as the status of the objects.
    for (const one of functions) for await (const _ of measure(one, world, { meter, steps: [{ what: 'settle' }] }));
    for (const one of functions) yield* rowsOf(plan, one, measure(one, world, { meter, steps: IDLE }));
    for (const [name, steps] of Object.entries(busySteps(plan))) {
      const one = functions.find((each) => each.name === name);
      if (one !== undefined) yield* rowsOf(plan, one, measure(one, world, { meter, steps }));
    }
  } finally {
    await aws.close();
    await api.close();
  }
}

const IDLE: readonly Step[] = [{ what: 'idle, cold' }, { what: 'idle, warm' }];

/** After the idle ones, because they change the cluster. */
function busySteps({ nodes, fleet, controlPlane: { etcd } }: FleetPlan): Readonly<Record<string, readonly Step[]>> {
  const pods = Array.from({ length: PENDING_PODS }, (_, index) => aPendingPod(index));
  const drained = Math.ceil(nodes * DRAINED_SHARE);
  return {
    termination: [
      { what: `${drained} drains, cold`, change: async () => markDeleted(fleet, drained) },
      { what: 'drains, warm' },
    ],
    provisioning: [{ what: `${PENDING_PODS} pending pods, cold`, change: async () => putObjects(pods, { etcd }) }],
  };
}

type Outcome = Omit<Row, 'nodes' | 'function'>;

interface Measuring {
  readonly meter: { readonly take: () => Pick<Row, 'awsCalls' | 'apiRequests'> };
  readonly steps: readonly Step[];
}

async function* measure(
  one: DeployedFunction,
  world: FunctionWorld,
  { meter, steps }: Measuring,
): AsyncGenerator<Outcome> {
  meter.take();
  const running = await startFunction(one, world);
  for (const { what, change } of steps) {
    await change?.();
    try {
      const invoked = await running.invoke(TICK);
      yield { what, invoked, ...meter.take() };
    } catch (error) {
      yield { what, why: error instanceof Error ? error.message : String(error), ...meter.take() };
      return;
    }
  }
  await running.end();
}

async function* rowsOf(
  { nodes }: FleetPlan,
  { name, memoryMib, timeoutMs }: DeployedFunction,
  outcomes: AsyncIterable<Outcome>,
): AsyncGenerator<Row> {
  for await (const outcome of outcomes) yield { nodes, function: { name, memoryMib, timeoutMs }, ...outcome };
}
