import type { Wake } from '../../ports/messages.ts';
import type { RunReport } from './ports.ts';

/** The output of a function besides its actions. The operator writes logs and metrics, the simulator its timeline. */
export interface Telemetry {
  /** Reports a run, with the failures of single claims. The next tick reconciles these claims again. */
  report(cause: Pick<Wake, 'reason' | 'nodeClaim'>, report: RunReport): void;
  /** Reports a run that failed. */
  failure(wake: Wake, error: unknown): void;
  warn(message: string, fields: Fields): void;
  error(message: string, error: unknown, fields: Fields): void;
}

type Fields = Readonly<Record<string, unknown>>;
