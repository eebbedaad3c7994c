import { LABELS } from './object-meta.ts';
import { closed, enumSchema, listOf, type Schema, STRINGS, textSchema } from './schema.ts';

export const LABEL_SELECTOR_SCHEMA: Schema = closed({
  matchLabels: LABELS,
  matchExpressions: listOf(
    closed(
      {
        key: textSchema('qualified-name'),
        operator: enumSchema('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: listOf(textSchema('label-value')),
      },
      ['key', 'operator'],
    ),
  ),
});

const REQUIREMENT = {
  operator: enumSchema('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
  values: listOf(textSchema('label-value')),
};

export const NODE_SELECTOR_TERM_SCHEMA: Schema = closed({
  matchExpressions: listOf(closed({ key: textSchema('qualified-name'), ...REQUIREMENT }, ['key', 'operator'])),
  matchFields: listOf(
    closed({ key: enumSchema('metadata.name'), operator: enumSchema('In', 'NotIn'), values: STRINGS }, [
      'key',
      'operator',
      'values',
    ]),
  ),
});
