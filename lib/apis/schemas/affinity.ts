import { closed, listOf, oneOf, type Schema, text } from './schema.ts';
import { LABEL_SELECTOR, NODE_SELECTOR_TERM } from './selectors.ts';

const WEIGHT: Schema = { type: 'integer', minimum: 1, maximum: 100 };
const LABEL_KEYS: Schema = listOf(text('qualified-name'));

const POD_AFFINITY_TERM: Schema = closed(
  {
    topologyKey: text('qualified-name'),
    labelSelector: LABEL_SELECTOR,
    namespaceSelector: LABEL_SELECTOR,
    namespaces: listOf(text('dns-label')),
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

export const AFFINITY: Schema = closed({
  nodeAffinity: closed({
    requiredDuringSchedulingIgnoredDuringExecution: closed(
      { nodeSelectorTerms: listOf(NODE_SELECTOR_TERM, { minItems: 1 }) },
      ['nodeSelectorTerms'],
    ),
    preferredDuringSchedulingIgnoredDuringExecution: listOf(
      closed({ weight: WEIGHT, preference: NODE_SELECTOR_TERM }, ['weight', 'preference']),
    ),
  }),
  podAffinity: POD_AFFINITY,
  podAntiAffinity: POD_AFFINITY,
});

export const TOPOLOGY_SPREAD_CONSTRAINT: Schema = closed(
  {
    maxSkew: { type: 'integer', minimum: 1 },
    topologyKey: text('qualified-name'),
    whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: LABEL_SELECTOR,
    minDomains: { type: 'integer', minimum: 1 },
    matchLabelKeys: LABEL_KEYS,
    nodeAffinityPolicy: oneOf('Honor', 'Ignore'),
    nodeTaintsPolicy: oneOf('Honor', 'Ignore'),
  },
  ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
);
