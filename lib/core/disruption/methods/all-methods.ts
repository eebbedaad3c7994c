import type { Method } from '../method.ts';
import { drift } from './drift.ts';
import { emptiness } from './emptiness.ts';
import { fleet } from './fleet.ts';
import { multiNode } from './multi-node.ts';
import { singleNode } from './single-node.ts';
import { staticDrift } from './static-drift.ts';

/** E2: the methods of the disruption function and of plans, in order. The first method that proposes a command wins the pass. */
export const ALL_METHODS: readonly Method[] = [emptiness, staticDrift, drift, fleet, multiNode, singleNode];
