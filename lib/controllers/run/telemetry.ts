import type { Wake } from '../../ports/messages.ts';
import type { RunReport } from './ports.ts';

/** What leaves a function without being an action. The operator writes log lines and metrics, the simulator its timeline. */
export interface Telemetry {
  /** What a run did and saw, with the failures of single claims, which the next tick reconciles again. */
  report(cause: Pick<Wake, 'reason' | 'nodeClaim'>, report: RunReport): void;
  /** A run that failed as a whole. */
  failure(wake: Wake, error: unknown): void;
  warn(message: string, fields: Fields): void;
  error(message: string, error: unknown, fields: Fields): void;
}

type Fields = Readonly<Record<string, unknown>>;
