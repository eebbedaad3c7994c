/** Writes the log lines and metrics of a function. Controllers and core write neither. */
import { Logger } from '@aws-lambda-powertools/logger';
import { problemsIn } from '../../controllers/record/problems-in.ts';
import type { LogMessage, Telemetry } from '../../controllers/run/telemetry.ts';
import type { Problem } from '../../core/problems/problems.ts';
import { METRICS } from '../options/options.ts';
import { type EmbeddedMetrics, runMetrics } from './embedded-metrics.ts';
import { runLine } from './run-line.ts';

/**
 * @param table the table of the deployment, for functions that report runs: its alarms read the metrics with this table
 * @param writesMetrics whether a cluster has the setting `metrics`. @default no cluster has it
 */
export function telemetryOf(functionName: string, table = '', writesMetrics?: (cluster: string) => boolean): Telemetry {
  const metrics = runMetrics(table, writesMetrics);
  const logger = new Logger({ serviceName: `kerf-${functionName}` });
  const log = (level: 'info' | 'warn', message: LogMessage, fields: Readonly<Record<string, unknown>>): void =>
    logger[level](message, { ...fields });
  const error: Telemetry['error'] = (message, cause, fields) => {
    logger.error(message, { ...fields, error: cause instanceof Error ? cause : new Error(String(cause)) });
  };
  const warnOf = (problems: readonly Problem[], fields: Readonly<Record<string, unknown>>): void => {
    for (const { kind, message, numbers } of problems)
      log('warn', 'problem', {
        ...fields,
        problem: kind,
        why: message,
        numbers,
        runbook: `docs/runbook.md#${kind.toLowerCase()}`,
      });
  };
  return {
    error,
    warn: (message, fields) => log('warn', message, fields),
    report(cause, report) {
      const { cluster, controller, skipped, decisions, gauges, failures, ignored } = report;
      if (skipped === undefined) {
        log('info', 'reconciled', { cluster, controller, ...cause, ...runLine(report) });
      } else log('info', 'skipped', { cluster, controller, ...cause, why: skipped });
      const idle = gauges[METRICS.onStandby] === 1 ? decisions.flatMap(({ blocked }) => blocked) : [];
      for (const { reason, message, numbers } of idle)
        log('warn', 'standby', { cluster, controller, reason, why: message, numbers });
      // One function reports it each minute; the signs are the same for all of them.
      if (ignored !== undefined && controller === 'lifecycle' && cause.nodeClaim === undefined) {
        const { reason, message, numbers } = ignored;
        log('warn', 'sign of another autoscaler ignored', { cluster, controller, reason, why: message, numbers });
      }
      for (const failure of failures) error('reconcile step failed', failure, { cluster, controller });
      const problems = problemsIn(report);
      warnOf(problems, { cluster, controller });
      writeMetrics(metrics.ofReport({ ...report, problems }, Date.now()));
    },
    failure(wake, cause) {
      error('reconcile failed', cause, { ...wake });
      const problems = problemsIn({ failures: [new Error('reconcile failed', { cause })] });
      warnOf(problems, { cluster: wake.cluster });
      writeMetrics(metrics.ofFailure(wake.cluster, Date.now(), problems));
    },
  };
}

/** One JSON object on each line, without the logger's fields, as CloudWatch requires for metrics. */
function writeMetrics(lines: readonly EmbeddedMetrics[]): void {
  for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
}
