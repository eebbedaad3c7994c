import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { SCENARIO_EVENT } from './scenario-events.ts';
import { LOADS, SPOT_INTERRUPTIONS, TRACE } from './scenario-loads.ts';
import { USAGE } from './scenario-usage.ts';
import { closed, described, listOf, resource, type Schema, TEXT, textSchema } from './schema.ts';

/** What happens in a simulation, besides what the other manifests declare. */
export const SCENARIO: Schema = described(
  'The events of a simulation with `kerf simulate`, and their times. It is not installed in a cluster.',
  resource(
    { apiVersion: 'kerf.dev/v1alpha1', kind: 'Scenario' },
    {
      metadata: OBJECT_META_SCHEMA,
      spec: closed({
        seed: described(
          'The seed of the random numbers. The same seed gives the same output. The option --seed overrides it. Default: 1.',
          { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        ),
        region: described('The AWS region, if no NodePool names a zone. The option --region overrides it.', TEXT),
        duration: described(
          'The simulated time, such as 24h. The option --for overrides it. Default: 1h.',
          textSchema('go-duration'),
        ),
        events: described(
          'The events. Each has `at` and exactly one of the other fields. The order of the list does not matter.',
          listOf(SCENARIO_EVENT),
        ),
        usage: USAGE,
        loads: LOADS,
        trace: TRACE,
        spotInterruptions: described(
          'Spot interruptions at random times. Each entry has ratePercentPerHour or perHour.',
          listOf(SPOT_INTERRUPTIONS),
        ),
      }),
    },
  ),
);
