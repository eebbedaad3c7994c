/**
 * A function in a process of its own, as Lambda runs it: `invoke-function.ts BUNDLE`. Each line of input is an event; one line of JSON
 * is its result. The function's log goes to stderr.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Invoked {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The largest memory of the process until now. */
  readonly peakMb: number;
  /** The messages to deliver again. */
  readonly failed: number;
  /** The failure of the whole invocation. */
  readonly error?: string;
}

interface Timed {
  readonly event: unknown;
  readonly timeoutMs: number;
}

const [, , bundle = ''] = process.argv;
// The log of a function is its standard output, which has the results here.
const writeResult = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

const { handler }: { readonly handler: (event: unknown, context: object) => Promise<unknown> } = await import(bundle);
const loaded = process.cpuUsage();
writeResult(`${JSON.stringify({ cpuMs: (loaded.user + loaded.system) / 1_000 })}\n`);

/** `maxRSS` would be at least the memory of the process that has started this one. */
function peakMb(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { event, timeoutMs }: Timed = JSON.parse(line);
  const before = { cpu: process.cpuUsage(), atMs: performance.now() };
  const context = { getRemainingTimeInMillis: () => timeoutMs - (performance.now() - before.atMs) };
  const answer = await handler(event, context).catch((error: unknown) => ({ error: String(error) }));
  const { user, system } = process.cpuUsage(before.cpu);
  const {
    batchItemFailures = [],
    error,
  }: { readonly batchItemFailures?: readonly unknown[]; readonly error?: string } = Object(answer);
  const invoked: Invoked = {
    cpuMs: (user + system) / 1_000,
    wallMs: performance.now() - before.atMs,
    peakMb: peakMb(),
    failed: batchItemFailures.length,
    ...(error !== undefined && { error }),
  };
  writeResult(`${JSON.stringify(invoked)}\n`);
}
process.exit(0);
