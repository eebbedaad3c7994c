import { closed, enumSchema, listOf, type Schema, textSchema } from './schema.ts';
import { LABEL_SELECTOR_SCHEMA, NODE_SELECTOR_TERM_SCHEMA } from './selectors.ts';

const WEIGHT: Schema = { type: 'integer', minimum: 1, maximum: 100 };
const LABEL_KEYS: Schema = listOf(textSchema('qualified-name'));

const POD_AFFINITY_TERM: Schema = closed(
  {
    topologyKey: textSchema('qualified-name'),
    labelSelector: LABEL_SELECTOR_SCHEMA,
    namespaceSelector: LABEL_SELECTOR_SCHEMA,
    namespaces: listOf(textSchema('dns-label')),
    matchLabelKeys: LABEL_KEYS,
    mismatchLabelKeys: LABEL_KEYS,
  },
  ['topologyKey'],
);

const POD_AFFINITY: Schema = closed({
  requiredDuringSchedulingIgnoredDuringExecution: listOf(POD_AFFINITY_TERM),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(
    closed({ weight: WEIGHT, podAffinityTerm: POD_AFFINITY_TERM }, ['weight', 'podAffinityTerm']),
  ),
});

export const AFFINITY_SCHEMA: Schema = closed({
  nodeAffinity: closed({
    requiredDuringSchedulingIgnoredDuringExecution: closed(
      { nodeSelectorTerms: listOf(NODE_SELECTOR_TERM_SCHEMA, { minItems: 1 }) },
      ['nodeSelectorTerms'],
    ),
    preferredDuringSchedulingIgnoredDuringExecution: listOf(
      closed({ weight: WEIGHT, preference: NODE_SELECTOR_TERM_SCHEMA }, ['weight', 'preference']),
    ),
  }),
  podAffinity: POD_AFFINITY,
  podAntiAffinity: POD_AFFINITY,
});

export const TOPOLOGY_SPREAD_CONSTRAINT: Schema = closed(
  {
    maxSkew: { type: 'integer', minimum: 1 },
    topologyKey: textSchema('qualified-name'),
    whenUnsatisfiable: enumSchema('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: LABEL_SELECTOR_SCHEMA,
    minDomains: { type: 'integer', minimum: 1 },
    matchLabelKeys: LABEL_KEYS,
    nodeAffinityPolicy: enumSchema('Honor', 'Ignore'),
    nodeTaintsPolicy: enumSchema('Honor', 'Ignore'),
  },
  ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
);
