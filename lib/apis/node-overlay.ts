import type { Immutable } from './formats/immutable.ts';
import type * as generated from './generated/node-overlay.ts';

export type NodeOverlay = Immutable<generated.NodeOverlay>;
