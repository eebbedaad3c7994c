import type { Immutable } from './formats/immutable.ts';
import type * as generated from './generated/capacity-buffer.ts';

export type CapacityBuffer = Immutable<generated.CapacityBuffer>;
