/**
 * Measures an idle minute of the disruption function in this process, and writes the figures to stdout as JSON: `node
 * benchmarks/disruption/run-idle.ts`. A simulation grows a cluster of about 500 nodes until nothing more is saved. Then the function runs
 * once a minute, on the real stores over a table in memory. The nodes are read anew each time, as from an API server.
 */
import { reconcileDisruption } from '../../lib/controllers/disruption.ts';
import { guarded } from '../../lib/controllers/run/guard.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { around } from '../../lib/simulator/faults.ts';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { inProcessTable } from '../../test/fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../../test/fakes/memory-bodies.ts';
import { median } from '../measurement.ts';
import { idleCluster } from '../simulate/simulated-cases.ts';

/** What one run of the function costs. */
export interface IdleMinute {
  /** CPU time of the thread, without the parsing of answers. */
  readonly ms: number;
  /** Of the cluster, EC2, the stores, queues and the event bus. */
  readonly calls: number;
  readonly tableCalls: number;
  /** The answers of the table, without the names of fields. */
  readonly tableKb: number;
}

export interface MeasuredIdle {
  readonly nodes: number;
  readonly pods: number;
  /** The first run of the process. */
  readonly first: IdleMinute;
  /** The median of the minutes after it. */
  readonly idle: IdleMinute;
}

const MINUTES = 15;
const MINUTE_MS = 60_000;

const count = { calls: 0, tableCalls: 0, tableBytes: 0 };
let ports: ControllerPorts | undefined;
await runSimulation({
  ...idleCluster(),
  stores: (clock) => {
    const table = inProcessTable({
      clock,
      faults: {
        around: async (_, go) => {
          const answer = await go();
          count.tableCalls += 1;
          count.tableBytes += bytesOf(answer);
          return answer;
        },
      },
    });
    return {
      store: new DynamoDbNodeClaimStore({ ...table, clock, bodies: memoryBodies() }),
      leases: new DynamoDbLeases({ ...table, clock }),
      catalogue: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }),
    };
  },
  wrapPorts: (made) => {
    ports = made;
    return made;
  },
});
if (ports === undefined) throw new Error('the simulation has no ports');
console.log(JSON.stringify(await measure(ports)));

async function measure(made: ControllerPorts): Promise<MeasuredIdle> {
  let nowMs = made.clock.now();
  const counted = around(made, async ({ method }, call) => {
    count.calls += 1;
    const answer = await call();
    return method === 'cluster.listNodes' ? structuredClone(answer) : answer;
  });
  const run = guarded('disruption', reconcileDisruption);
  const minutes: IdleMinute[] = [];
  for (let minute = 0; minute <= MINUTES; minute += 1) {
    nowMs += MINUTE_MS;
    Object.assign(count, { calls: 0, tableCalls: 0, tableBytes: 0 });
    const start = threadMs();
    await run({ ...counted, clock: { now: () => nowMs } }, { cluster: 'simulated', reason: 'tick' });
    const { calls, tableCalls, tableBytes } = count;
    minutes.push({ ms: threadMs() - start, calls, tableCalls, tableKb: tableBytes / 1_000 });
  }
  const [first, ...others] = minutes;
  if (first === undefined) throw new Error('no minute was measured');
  const middle = (of: keyof IdleMinute): number => median(others.map((one) => one[of]));
  const [nodes, pods] = [await made.cluster.listNodes(), await made.cluster.listPods()];
  return {
    nodes: nodes.length,
    pods: pods.length,
    first,
    idle: {
      ms: middle('ms'),
      calls: middle('calls'),
      tableCalls: middle('tableCalls'),
      tableKb: middle('tableKb'),
    },
  };
}

/** The size of an answer: its texts, numbers and bytes, without the names of its fields. */
function bytesOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return String(value).length;
  return Object.values(value).reduce((sum: number, one: unknown) => sum + bytesOf(one), 0);
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
