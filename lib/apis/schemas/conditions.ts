import { closed, DATE_TIME, described, matching, oneOf, type Schema } from './schema.ts';

const DNS_PREFIX = '([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?';

/** A0.2: what a controller has found out about the object, one entry a question. A NodeClaim's may lack reason and message. */
export const CONDITIONS: Schema = {
  description: 'What Kerf has found out about this object; Ready sums it up.',
  type: 'array',
  tsType: 'Condition[]',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: closed(
    {
      type: {
        ...described(
          'The question, such as Ready or ValidationSucceeded.',
          matching(`^${DNS_PREFIX}([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`, 'a name such as Ready'),
        ),
        maxLength: 316,
      },
      status: described('The answer: yes, no, or not known yet.', oneOf('True', 'False', 'Unknown')),
      observedGeneration: {
        ...described('The generation of the object that the answer is about.', { type: 'integer', format: 'int64' }),
        minimum: 0,
      },
      lastTransitionTime: described('When the answer changed last.', DATE_TIME),
      reason: {
        ...described(
          'Why, in one word for machines.',
          matching('^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$', 'a word such as NodeClassNotFound'),
        ),
        maxLength: 1024,
      },
      message: { ...described('Why, in a sentence for people.', { type: 'string' }), maxLength: 32_768 },
    },
    ['type', 'status', 'lastTransitionTime'],
  ),
};
