/** Everything that leaves a function without being an action: log lines and metrics. Controllers and core write neither. */
import { Logger } from '@aws-lambda-powertools/logger';
import type { RunReport } from '../controllers/ports.ts';
import type { Telemetry } from '../controllers/run/telemetry.ts';
import { type EmbeddedMetrics, embeddedMetrics, failureMetrics } from './embedded-metrics.ts';
import { METRICS } from './options.ts';

export function telemetryOf(functionName: string): Telemetry {
  const logger = new Logger({ serviceName: `kerf-${functionName}` });
  const error: Telemetry['error'] = (message, cause, fields) => {
    logger.error(message, { ...fields, error: cause instanceof Error ? cause : new Error(String(cause)) });
  };
  return {
    error,
    warn: (message, fields) => logger.warn(message, { ...fields }),
    report(cause, report) {
      const { cluster, controller, withoutLook, decisions, due, gauges, failures } = report;
      const actions = decisions.flatMap((decision) => decision.actions.map(({ kind }) => kind));
      if (withoutLook === undefined) {
        logger.info('looked', {
          cluster,
          controller,
          ...cause,
          actions,
          refusals: refusalsOf(report),
          due: due.length,
          gauges,
        });
      } else logger.info('did not look', { cluster, controller, ...cause, why: withoutLook });
      const idle = gauges[METRICS.stoodDown] === 1 ? decisions.flatMap(({ blocked }) => blocked) : [];
      for (const { reason, message, numbers } of idle)
        logger.warn('stood down', { cluster, controller, reason, why: message, numbers });
      for (const failure of failures) error('a part of the run failed', failure, { cluster, controller });
      writeMetrics(embeddedMetrics(report, Date.now()));
    },
    failure(wake, cause) {
      error('the run failed', cause, { ...wake });
      writeMetrics(failureMetrics(wake.cluster, functionName, Date.now()));
    },
  };
}

/** How often each reason refused something. */
function refusalsOf({ decisions }: RunReport): Readonly<Record<string, number>> {
  const reasons = Map.groupBy(
    decisions.flatMap(({ blocked }) => blocked),
    ({ reason }) => reason,
  );
  return Object.fromEntries([...reasons].map(([reason, all]) => [reason, all.length]));
}

/** Each on a line of its own and unadorned: CloudWatch reads metrics from nothing else. */
function writeMetrics(metrics: readonly EmbeddedMetrics[]): void {
  for (const line of metrics) process.stdout.write(`${JSON.stringify(line)}\n`);
}
