import { LABEL_SELECTOR_MESSAGE, NODE_SELECTOR_TERM_MESSAGE } from './metadata.ts';
import { field, type Message, message } from './schema.ts';

/** k8s.io/api `core/v1/generated.proto`. */

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const NODE_SELECTOR = message({ 1: field('nodeSelectorTerms', 'messages', { message: NODE_SELECTOR_TERM_MESSAGE }) });

const PREFERRED_TERM = message({
  1: field('weight', 'given-number'),
  2: field('preference', 'message', { message: NODE_SELECTOR_TERM_MESSAGE }),
});

const NODE_AFFINITY = message({
  1: field(REQUIRED, 'message', { message: NODE_SELECTOR }),
  2: field(PREFERRED, 'messages', { message: PREFERRED_TERM }),
});

const POD_AFFINITY_TERM = message({
  1: field('labelSelector', 'message', { message: LABEL_SELECTOR_MESSAGE }),
  2: field('namespaces', 'texts'),
  3: field('topologyKey', 'given-text'),
  4: field('namespaceSelector', 'message', { message: LABEL_SELECTOR_MESSAGE }),
  5: field('matchLabelKeys', 'texts'),
  6: field('mismatchLabelKeys', 'texts'),
});

const WEIGHTED_TERM = message({
  1: field('weight', 'given-number'),
  2: field('podAffinityTerm', 'message', { message: POD_AFFINITY_TERM }),
});

/** Pod affinity and pod anti-affinity, which have the same fields. */
const POD_AFFINITY = message({
  1: field(REQUIRED, 'messages', { message: POD_AFFINITY_TERM }),
  2: field(PREFERRED, 'messages', { message: WEIGHTED_TERM }),
});

export const AFFINITY_MESSAGE: Message = message({
  1: field('nodeAffinity', 'message', { message: NODE_AFFINITY }),
  2: field('podAffinity', 'message', { message: POD_AFFINITY }),
  3: field('podAntiAffinity', 'message', { message: POD_AFFINITY }),
});
