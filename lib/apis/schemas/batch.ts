import { OBJECT_META_SCHEMA, TEMPLATE_META } from './object-meta.ts';
import {
  BOOLEAN,
  COUNT,
  closed,
  enumSchema,
  INTEGER,
  listOf,
  OBJECT,
  resource,
  type Schema,
  STRING,
  TEXT,
} from './schema.ts';
import { LABEL_SELECTOR_SCHEMA } from './selectors.ts';
import { TEMPLATE } from './workloads.ts';

const POD_FAILURE_POLICY: Schema = closed(
  {
    rules: listOf(
      closed(
        {
          action: enumSchema('FailJob', 'FailIndex', 'Ignore', 'Count'),
          onExitCodes: closed(
            { containerName: STRING, operator: enumSchema('In', 'NotIn'), values: listOf(INTEGER, { minItems: 1 }) },
            ['operator', 'values'],
          ),
          onPodConditions: listOf(closed({ type: TEXT, status: enumSchema('True', 'False', 'Unknown') }, ['type'])),
        },
        ['action'],
      ),
    ),
  },
  ['rules'],
);

const JOB_SPEC: Schema = closed(
  {
    parallelism: COUNT,
    completions: COUNT,
    completionMode: enumSchema('NonIndexed', 'Indexed'),
    backoffLimit: COUNT,
    backoffLimitPerIndex: COUNT,
    maxFailedIndexes: COUNT,
    activeDeadlineSeconds: COUNT,
    ttlSecondsAfterFinished: COUNT,
    suspend: BOOLEAN,
    podReplacementPolicy: enumSchema('TerminatingOrFailed', 'Failed'),
    podFailurePolicy: POD_FAILURE_POLICY,
    successPolicy: OBJECT,
    selector: LABEL_SELECTOR_SCHEMA,
    manualSelector: BOOLEAN,
    managedBy: STRING,
    template: TEMPLATE,
  },
  ['template'],
);

export const JOB: Schema = resource(
  { apiVersion: 'batch/v1', kind: 'Job' },
  { metadata: OBJECT_META_SCHEMA, spec: JOB_SPEC },
);

export const CRON_JOB: Schema = resource(
  { apiVersion: 'batch/v1', kind: 'CronJob' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        schedule: TEXT,
        timeZone: STRING,
        concurrencyPolicy: enumSchema('Allow', 'Forbid', 'Replace'),
        startingDeadlineSeconds: COUNT,
        suspend: BOOLEAN,
        successfulJobsHistoryLimit: COUNT,
        failedJobsHistoryLimit: COUNT,
        jobTemplate: closed({ metadata: TEMPLATE_META, spec: JOB_SPEC }, ['spec']),
      },
      ['schedule', 'jobTemplate'],
    ),
  },
);
