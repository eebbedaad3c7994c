import { LABELS } from './object-meta.ts';
import { closed, listOf, oneOf, type Schema, STRINGS, text } from './schema.ts';

export const LABEL_SELECTOR: Schema = closed({
  matchLabels: LABELS,
  matchExpressions: listOf(
    closed(
      {
        key: text('qualified-name'),
        operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: listOf(text('label-value')),
      },
      ['key', 'operator'],
    ),
  ),
});

const REQUIREMENT = {
  operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
  values: listOf(text('label-value')),
};

export const NODE_SELECTOR_TERM: Schema = closed({
  matchExpressions: listOf(closed({ key: text('qualified-name'), ...REQUIREMENT }, ['key', 'operator'])),
  matchFields: listOf(
    closed({ key: oneOf('metadata.name'), operator: oneOf('In', 'NotIn'), values: STRINGS }, [
      'key',
      'operator',
      'values',
    ]),
  ),
});
