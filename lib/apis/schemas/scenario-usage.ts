import { WORKLOAD } from './scenario-events.ts';
import { closed, described, listOf, type Schema, textSchema } from './schema.ts';

/** What workloads use, for their HorizontalPodAutoscalers. */
export const USAGE: Schema = described(
  'The CPU that workloads use over time. A HorizontalPodAutoscaler sets the replicas of its target by it.',
  listOf(
    closed(
      {
        target: WORKLOAD,
        cpu: described(
          'Points of the curve. Between them, the usage is linear; after the last one, it stays.',
          listOf(
            closed(
              {
                at: described('The time from the start of the simulation, such as 8h.', textSchema('go-duration')),
                total: described('The cores that all pods of the workload use together.', {
                  type: 'number',
                  minimum: 0,
                  maximum: 1_000_000,
                }),
              },
              ['at', 'total'],
            ),
            { minItems: 1 },
          ),
        ),
        repeats: described(
          'The curve begins again after each such time, for example 24h. Default: it does not.',
          textSchema('go-duration'),
        ),
      },
      ['target', 'cpu'],
    ),
  ),
);
