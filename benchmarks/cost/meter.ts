/** Counts what the functions of a simulation use. One meter counts one simulation. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ownField } from '../../lib/apis/record.ts';
import type { FunctionName } from '../../lib/simulator/aws/simulated-lambda.ts';
import { CPU_MS, LOG_EVENT_BYTES } from './assumptions.ts';
import { type FunctionUse, type MutableUse, nothingUsed } from './ledger.ts';

/** An invocation, to which the CPU time between two calls belongs. */
export interface Running {
  readonly function: FunctionName;
}

export interface Meter {
  /** The invocation that makes the current call. */
  readonly current: AsyncLocalStorage<Running>;
  of(name: string): MutableUse;
  count(use: MutableUse, call: string, cpuMs: number): void;
  /** From now on, CPU time belongs to this invocation; undefined: to the simulated world. */
  enter(running: Running | undefined): void;
  logged(name: string, line: string, atMs: number): void;
  /** Forgets what was counted. *Shape:* it. */
  take(): { readonly functions: Readonly<Record<string, FunctionUse>>; readonly metrics: ReadonlySet<string> };
}

const HOUR_MS = 3_600_000;
/** The most messages that one call receives or deletes. */
const MESSAGES_A_CALL = 10;

export function meterOf(): Meter {
  const current = new AsyncLocalStorage<Running>();
  let uses = new Map<string, MutableUse>();
  let metrics = new Set<string>();
  let owner: Running | undefined;
  let sinceUs = cpuMicroseconds();
  const of = (name: string): MutableUse => {
    const known = uses.get(name) ?? nothingUsed();
    uses.set(name, known);
    return known;
  };
  return {
    current,
    of,
    count(use, call, cpuMs) {
      use.calls[call] = (use.calls[call] ?? 0) + 1;
      use.assumedCpuMs += cpuMs;
    },
    enter(running) {
      const nowUs = cpuMicroseconds();
      if (owner !== undefined) of(owner.function).measuredCpuMs += (nowUs - sinceUs) / 1_000;
      owner = running;
      sinceUs = nowUs;
    },
    logged(name, line, atMs) {
      const use = of(name);
      use.logBytes += Buffer.byteLength(line) + LOG_EVENT_BYTES;
      use.logEvents += 1;
      for (const metric of metricsIn(line)) metrics.add(`${Math.floor(atMs / HOUR_MS)} ${metric}`);
    },
    take() {
      const taken = { functions: Object.fromEntries(uses), metrics };
      uses = new Map();
      metrics = new Set();
      return taken;
    },
  };
}

export function noteInvocation(use: MutableUse, messages: number): void {
  use.invocations += 1;
  use.messages += messages;
  use.queueCalls += 2 * Math.ceil(messages / MESSAGES_A_CALL);
  use.assumedCpuMs += CPU_MS.invocation;
}

/** CPU time of this thread, so that other threads and other programs do not count. */
function cpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** The custom metrics of a log line in the embedded metric format, with their dimensions. @internal */
export function metricsIn(line: string): readonly string[] {
  if (!line.includes('"_aws"')) return [];
  const fields: unknown = JSON.parse(line);
  return listIn(ownField(ownField(fields, '_aws'), 'CloudWatchMetrics')).flatMap((directive) =>
    listIn(ownField(directive, 'Dimensions')).flatMap((names) => {
      const dimensions = listIn(names).map((name) => `${String(name)}=${String(ownField(fields, String(name)))}`);
      return listIn(ownField(directive, 'Metrics')).map(
        (metric) =>
          `${String(ownField(directive, 'Namespace'))}/${String(ownField(metric, 'Name'))}{${dimensions.join(',')}}`,
      );
    }),
  );
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
