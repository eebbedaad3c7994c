import type * as generated from './generated/node-overlay.ts';
import type { Immutable } from './immutable.ts';

export type NodeOverlay = Immutable<generated.NodeOverlay>;
