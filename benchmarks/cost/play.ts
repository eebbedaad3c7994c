/** Plays a scenario in the simulator, with the real controllers, stores and telemetry, and counts what it uses. */
import { parseTime } from '../../lib/apis/formats/time.ts';
import type { Telemetry } from '../../lib/controllers/run/telemetry.ts';
import { telemetryOf } from '../../lib/operator/telemetry/telemetry.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import type { CostScenario } from './cost-scenarios.ts';
import { type CountedCalls, countedPorts } from './counted-calls.ts';
import { type CountedStores, countedStores } from './counted-stores.ts';
import type { FunctionUse, Use } from './ledger.ts';
import { type Meter, meterOf, noteInvocation } from './meter.ts';

const HOUR_MS = 3_600_000;
/** Of every simulation. */
const START = '2026-01-01T00:00:00Z';

/** *Shape:* the use of the measured time, and that of one run of the catalogue function. */
export interface PlayedScenario {
  readonly use: Use;
  readonly catalogueRun: FunctionUse;
}

export async function play({ input, beginsAtMs, hours }: CostScenario): Promise<PlayedScenario> {
  const meter = meterOf();
  const startMs = parseTime(START);
  const telemetries = new Map<string, Telemetry>();
  let counted: CountedStores | undefined;
  let calls: CountedCalls | undefined;
  const simulation = openSimulation({
    ...input(beginsAtMs + hours * HOUR_MS),
    goesOn: true,
    stores(timetable) {
      counted = countedStores(meter, timetable);
      const { budgetOf } = counted;
      // The budget would only delay the start.
      const isCounting = (): boolean => timetable.now() >= startMs + beginsAtMs;
      calls = { meter, timetable, budgetOf: (name) => (isCounting() ? budgetOf(name) : undefined), asked: new Map() };
      return counted.stores;
    },
    wrapInvocation(ports, invocation) {
      if (calls === undefined) throw new TypeError('the stores are made before the first invocation');
      const use = meter.of(invocation.function);
      noteInvocation(use, invocation.messages);
      const { timetable } = calls;
      const calledMs = timetable.now();
      void (async () => {
        await invocation.ended;
        meter.of(invocation.function).latencyMs += timetable.now() - calledMs;
      })();
      return countedPorts(ports, { function: invocation.function }, calls);
    },
    recorder: { record: async (run) => counted?.recorder.record(run) },
    telemetryOf(name) {
      // A process has one, which remembers what it has written.
      const kept = telemetries.get(name) ?? countedTelemetry(name, meter, () => calls?.timetable.now() ?? 0);
      telemetries.set(name, kept);
      return kept;
    },
  });
  const { timetable, endMs } = simulation;
  let warm: ReturnType<Meter['take']> | undefined;
  for (;;) {
    meter.enter(undefined);
    const ended = await simulation.step();
    simulation.timeline.take();
    meter.enter(undefined);
    if (warm === undefined && timetable.now() >= startMs + beginsAtMs) warm = meter.take();
    if (ended !== undefined || timetable.now() >= endMs) break;
  }
  const { functions, metrics } = meter.take();
  const catalogueRun = warm?.functions['catalogue'];
  if (catalogueRun === undefined || counted === undefined) throw new TypeError('the catalogue was not read');
  const use: Use = {
    hours,
    nodes: simulation.state.nodes.size,
    functions,
    metricHours: metrics.size,
    metrics: [...new Set([...metrics].map((text) => text.slice(text.indexOf(' ') + 1)))].toSorted(),
    tableBytes: counted.tableBytes(),
  };
  return { use, catalogueRun };
}

/** Lambda writes both to the log. */
const STREAMS = [process.stdout, process.stderr] as const;

/** The real telemetry, whose lines are counted and not printed. */
function countedTelemetry(name: string, meter: Meter, now: () => number): Telemetry {
  const telemetry = telemetryOf(name);
  const counting = (write: () => void): void => {
    const log = (line: string | Uint8Array): boolean => {
      for (const one of String(line).split('\n')) if (one !== '') meter.logged(name, one, now());
      return true;
    };
    // An own property hides the method of the stream until it is deleted.
    for (const stream of STREAMS) Object.defineProperty(stream, 'write', { value: log, configurable: true });
    try {
      write();
    } finally {
      for (const stream of STREAMS) Reflect.deleteProperty(stream, 'write');
    }
  };
  return {
    report: (cause, report) => counting(() => telemetry.report(cause, report)),
    failure: (wake, error) => counting(() => telemetry.failure(wake, error)),
    warn: (message, fields) => counting(() => telemetry.warn(message, fields)),
    error: (message, error, fields) => counting(() => telemetry.error(message, error, fields)),
  };
}
