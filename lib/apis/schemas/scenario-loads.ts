import { TEMPLATE_META } from './object-meta.ts';
import { POD_SPEC } from './pod-spec.ts';
import { DURATION, INSTANCE_TYPES, OF_NODE_POOL, POSITIVE, ZONES } from './scenario-fields.ts';
import { closed, described, listOf, QUANTITY, type Schema, TEXT, textSchema } from './schema.ts';

/** A load with more arrivals takes too long in one process. */
const MAX_PER_HOUR = 100_000;
const AMOUNT: Schema = { ...QUANTITY, tsType: 'string | number' };
const PER_HOUR: Schema = { type: 'number', minimum: 0, maximum: MAX_PER_HOUR };

const FROM: Schema = described('When it begins, from the start of the simulation. Default: at the start.', DURATION);
const TO: Schema = described(
  'When it ends, from the start of the simulation. Default: at the end of the simulation.',
  DURATION,
);

const POD_TEMPLATE: Schema = {
  ...described(
    'The template of the pods, as in a Job. Its restartPolicy is Never if it has none.',
    closed({ metadata: TEMPLATE_META, spec: POD_SPEC }, ['spec']),
  ),
  tsType: 'PodTemplate',
};

const ARRIVALS = described(
  'When pods arrive. Exactly one of the fields.',
  closed({
    poisson: described(
      'Pods arrive independently of each other.',
      closed({ perHour: described('The mean number of pods an hour.', PER_HOUR) }, ['perHour']),
    ),
    diurnal: described(
      'Pods arrive independently of each other. Their number an hour follows a cosine with a period of 24 hours.',
      closed(
        {
          peakPerHour: described('The mean number of pods an hour at the peak.', PER_HOUR),
          troughPerHour: described('The mean number of pods an hour 12 hours after the peak. Default: 0.', PER_HOUR),
          peakAt: described(
            'The time of the peak, from the start of the simulation, which is midnight, such as 14h.',
            DURATION,
          ),
        },
        ['peakPerHour', 'peakAt'],
      ),
    ),
    batch: described(
      'Pods arrive together at regular times, the first ones when the load begins.',
      closed(
        {
          every: described('The time from one batch to the next.', DURATION),
          pods: described('The number of pods of a batch.', { ...POSITIVE, maximum: 10_000 }),
        },
        ['every', 'pods'],
      ),
    ),
  }),
);

const LIFETIME = described(
  'How long a pod runs. A pod that is evicted runs again from the beginning. Exactly one of the fields.',
  closed({
    fixed: described('Every pod runs for this time.', DURATION),
    exponential: described('The times have an exponential distribution with this mean.', DURATION),
  }),
);

const LOAD: Schema = {
  title: 'ScenarioManifestLoad',
  ...closed(
    {
      name: described('The name of the load, with which the names of its Jobs begin.', textSchema('dns-label')),
      namespace: described('The namespace of its pods. Default: default.', textSchema('dns-label')),
      cpu: described('The CPU request of a pod, such as 500m. Not with template.', AMOUNT),
      memory: described('The memory request of a pod, such as 1Gi. Not with template.', AMOUNT),
      template: POD_TEMPLATE,
      arrivals: ARRIVALS,
      lifetime: LIFETIME,
      limit: described(
        'The most pods of the load at one time, pending ones included. Pods that arrive at the limit are dropped, and the timeline says how many. Default: no limit.',
        POSITIVE,
      ),
      from: FROM,
      to: TO,
    },
    ['name', 'arrivals', 'lifetime'],
  ),
};

export const TRACE: Schema = described(
  'Pods that arrive as in a file. Each pod is a Job, which ends with it.',
  closed(
    {
      file: described(
        'A CSV file; its path is relative to the file of the Scenario. Its first line names the columns, in any order: time and lifetime (seconds, or a duration such as 1h30m; time counts from the start of the simulation), cpu and memory (Kubernetes quantities, such as 500m and 2Gi; a number is cores, or bytes), and optionally count (the pods of the line; default 1).',
        TEXT,
      ),
      template: {
        ...POD_TEMPLATE,
        description:
          'The template of the pods. The cpu and memory of a line replace the requests of its first container. Default: one container.',
      },
    },
    ['file'],
  ),
);

export const SPOT_INTERRUPTIONS: Schema = {
  title: 'ScenarioManifestSpotInterruptions',
  ...closed({
    ratePercentPerHour: described(
      'The share of the running spot instances that EC2 interrupts in an hour. Each instance has this risk independently of the others. Not with perHour.',
      { type: 'number', minimum: 0, maximum: 99.9 },
    ),
    perHour: described(
      'The mean number of interruptions an hour, however many instances run. The seed chooses the instances. Not with ratePercentPerHour.',
      { type: 'number', minimum: 0, maximum: 10_000 },
    ),
    nodePool: OF_NODE_POOL,
    zones: ZONES,
    instanceTypes: INSTANCE_TYPES,
    from: FROM,
    to: TO,
  }),
};

export const LOADS: Schema = described('Pods that come and go. Each pod is a Job, which ends with it.', listOf(LOAD));
