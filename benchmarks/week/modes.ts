import type { Method } from '../../lib/core/disruption/method.ts';
import { ALL_METHODS } from '../../lib/core/disruption/methods/all-methods.ts';
import { drift } from '../../lib/core/disruption/methods/drift.ts';
import { emptiness } from '../../lib/core/disruption/methods/emptiness.ts';
import { multiNode } from '../../lib/core/disruption/methods/multi-node.ts';
import { singleNode } from '../../lib/core/disruption/methods/single-node.ts';
import { staticDrift } from '../../lib/core/disruption/methods/static-drift.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';

/** The rules under which a week is simulated. */
export interface Mode {
  readonly name: string;
  readonly title: string;
  readonly settings: ClusterSettings;
  readonly methods: readonly Method[];
  /** Of the NodePool. `Never`: no node is removed, not even an empty one. */
  readonly consolidateAfter: string;
}

const AFTER = '1m';
const KARPENTERS = { ...DEFAULT_SETTINGS, fleetConsolidation: false, softTaints: false, packing: 'first-fit' } as const;

/** E28: Karpenter ends a pass with the first move of one node; Kerf proposes all of them. */
const oneMove: Method = {
  ...singleNode,
  propose(world) {
    const proposal = singleNode.propose(world);
    return { ...proposal, moves: proposal.moves.slice(0, 1) };
  },
};
const KARPENTERS_METHODS = [emptiness, staticDrift, drift, multiNode, oneMove];

/**
 * `kerf` and `karpenter` are what a cluster has by default. The others show what a part of the difference is due to: `packing` has
 * Kerf's choice of nodes and Karpenter's consolidation; `none` and `greedy` have the two choices of nodes without consolidation.
 */
export const MODES: readonly Mode[] = [
  { name: 'kerf', title: 'Kerf', settings: DEFAULT_SETTINGS, methods: ALL_METHODS, consolidateAfter: AFTER },
  {
    name: 'waiting',
    title: 'Kerf, low scores wait',
    settings: { ...DEFAULT_SETTINGS, lowScoreWaits: true },
    methods: ALL_METHODS,
    consolidateAfter: AFTER,
  },
  {
    name: 'karpenter',
    title: "Karpenter's rules",
    settings: KARPENTERS,
    methods: KARPENTERS_METHODS,
    consolidateAfter: AFTER,
  },
  {
    name: 'none',
    title: 'no consolidation',
    settings: DEFAULT_SETTINGS,
    methods: ALL_METHODS,
    consolidateAfter: 'Never',
  },
  {
    name: 'packing',
    title: "Kerf's packing only",
    settings: { ...DEFAULT_SETTINGS, fleetConsolidation: false, softTaints: false },
    methods: KARPENTERS_METHODS,
    consolidateAfter: AFTER,
  },
  {
    name: 'greedy',
    title: 'greedy packing only',
    settings: KARPENTERS,
    methods: ALL_METHODS,
    consolidateAfter: 'Never',
  },
];

/** The modes that are compared if none are named. */
export const COMPARED = ['kerf', 'karpenter', 'none'];
