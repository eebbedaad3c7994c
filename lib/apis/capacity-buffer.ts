import type * as generated from './generated/capacity-buffer.ts';
import type { Immutable } from './immutable.ts';

export type CapacityBuffer = Immutable<generated.CapacityBuffer>;
