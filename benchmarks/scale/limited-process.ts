/** A process with the memory and the share of a CPU that Lambda gives a function. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A function with this memory has one CPU. *Source:* Configuring memory, in Lambda's documentation. */
const MIB_OF_ONE_CPU = 1_769;
/** Lambda's own share of the memory is small; node's heap gets nine tenths, as the runtime of Lambda sets it. */
const HEAP_SHARE = 0.9;
const YOUNG_SHARE = 0.05;
/** How often the share is enforced, and how much of it may be used at once. */
const EVERY_MS = 5;
const BURST_MS = 20;
/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;

export interface LimitedProcess {
  /** Sends a line, and resolves with the line of its answer. *Errors:* an Error if the process has ended. */
  readonly ask: (line: string) => Promise<string>;
  readonly end: () => Promise<void>;
}

export interface LimitedPlan {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMib: number;
  /** Its error output, which has the log of the function. */
  readonly log: number;
}

export function cpuShareOf(memoryMib: number): number {
  return Math.min(1, memoryMib / MIB_OF_ONE_CPU);
}

/** Resolves with the process and its first line. */
export async function startLimited(
  plan: LimitedPlan,
): Promise<{ readonly process: LimitedProcess; readonly first: string }> {
  const heap = [
    `--max-old-space-size=${Math.floor(plan.memoryMib * HEAP_SHARE)}`,
    `--max-semi-space-size=${Math.max(1, Math.floor(plan.memoryMib * YOUNG_SHARE))}`,
  ];
  const child = spawn(process.execPath, [...heap, ...plan.args], {
    stdio: ['pipe', 'pipe', plan.log],
    env: { PATH: process.env['PATH'] ?? '', ...plan.environment },
  });
  const ended = new Promise<string>((resolve) => {
    child
      .once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
      .once('error', (error) => resolve(error.message));
  });
  const stop = holdToShare(child, cpuShareOf(plan.memoryMib));
  void ended.then(stop);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`the function was not started: ${await ended}`);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`the function ended: ${await ended}`);
    return line.value;
  };
  const first = await answer();
  return {
    first,
    process: {
      ask: async (line) => {
        stdin.write(`${line}\n`);
        return await answer();
      },
      end: async () => {
        stdin.end();
        await ended;
      },
    },
  };
}

/** Stops the process while it has used more than its share of a CPU. *Shape:* a function that ends this. */
function holdToShare(child: ChildProcess, share: number): () => void {
  const { pid } = child;
  if (pid === undefined || share >= 1) return () => {};
  let isStopped = false;
  let [allowedMs, usedMs, lastMs] = [BURST_MS, 0, performance.now()];
  const timer = setInterval(() => {
    const [nowMs, totalMs] = [performance.now(), cpuMsOf(pid)];
    if (totalMs === undefined) return;
    allowedMs = Math.min(BURST_MS, allowedMs + (nowMs - lastMs) * share) - (totalMs - usedMs);
    [lastMs, usedMs] = [nowMs, totalMs];
    if (allowedMs < 0 === isStopped) return;
    isStopped = !isStopped;
    child.kill(isStopped ? 'SIGSTOP' : 'SIGCONT');
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** *Shape:* undefined if the process has ended. */
function cpuMsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
