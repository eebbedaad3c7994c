import { closed, DATE_TIME, described, enumSchema, patternSchema, type Schema } from './schema.ts';

const DNS_PREFIX = '([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?';

/** A0.2: the conditions of an object. Those of a NodeClaim may lack reason and message. */
export const CONDITIONS: Schema = {
  description: 'The conditions of this object. Ready summarizes them.',
  type: 'array',
  tsType: 'Condition[]',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: closed(
    {
      type: {
        ...described(
          'The type of the condition, such as Ready or ValidationSucceeded.',
          patternSchema(`^${DNS_PREFIX}([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`, 'a name such as Ready'),
        ),
        maxLength: 316,
      },
      status: described('The status of the condition.', enumSchema('True', 'False', 'Unknown')),
      observedGeneration: {
        ...described('The generation of the object that the condition is based on.', {
          type: 'integer',
          format: 'int64',
        }),
        minimum: 0,
      },
      lastTransitionTime: described('The last time the status changed.', DATE_TIME),
      reason: {
        ...described(
          'The reason in CamelCase, for programs.',
          patternSchema('^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$', 'a word such as NodeClassNotFound'),
        ),
        maxLength: 1024,
      },
      message: { ...described('The reason in a sentence.', { type: 'string' }), maxLength: 32_768 },
    },
    ['type', 'status', 'lastTransitionTime'],
  ),
};
