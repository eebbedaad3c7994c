import type { Method } from '../method.ts';
import { drift } from './drift.ts';
import { emptiness } from './emptiness.ts';
import { fleet } from './fleet.ts';
import { multiNode } from './multi-node.ts';
import { singleNode } from './single-node.ts';
import { staticDrift } from './static-drift.ts';

/** All methods, in the order in which they are tried (E2). Plans use them before the functions do. */
export const ALL_METHODS: readonly Method[] = [emptiness, staticDrift, drift, fleet, multiNode, singleNode];
