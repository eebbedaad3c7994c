import { quote } from '../../../apis/formats/quote.ts';
import { NODE_POOL } from '../../../apis/labels.ts';
import type { NodeOverlay } from '../../../apis/node-overlay.ts';
import type { NodePoolView } from '../../model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { type Requirements, requirementsFrom, requirementsFromLabels } from '../../requirements/requirements.ts';
import { nodeOverlayProblems } from '../../validation/node-overlay.ts';
import { overlaidOfferings } from './overlaid-offerings.ts';
import { overlaidType } from './overlaid-type.ts';
import { type PriceChange, priceChangeOf } from './overlay-price.ts';

/** Why an overlay has no effect: the reason and message of its ValidationSucceeded condition (A4.1). */
export interface OverlayConflict {
  readonly overlay: string;
  readonly reason: 'RuntimeValidation' | 'Conflict';
  readonly message: string;
}

export interface OverlaidViews {
  readonly views: readonly NodePoolView[];
  readonly conflicts: readonly OverlayConflict[];
}

/**
 * Applies NodeOverlays to the prices and capacities of the pools' instance types.
 * *Shape:* views, types and offerings without changes are the same objects. An overlay is applied as a whole, or not at all
 * with its reason in `conflicts` (A4.8). `conflicts` is in the order of precedence.
 * *Cost:* O(overlays × pools × types × requirements).
 */
export function applyOverlays(views: readonly NodePoolView[], overlays: readonly NodeOverlay[]): OverlaidViews {
  const pools = views.map((view): Pool => ({ view, labels: labelsOf(view), touched: new Map() }));
  const conflicts: OverlayConflict[] = [];
  for (const overlay of byPrecedence(overlays)) {
    const refused = whyInvalid(overlay) ?? applyTo(pools, readOverlay(overlay));
    if (refused !== undefined) conflicts.push(refused);
  }
  return { views: pools.map(overlaidView), conflicts };
}

/** A pool with the changes of the overlays applied so far. */
interface Pool {
  readonly view: NodePoolView;
  readonly labels: Requirements;
  readonly touched: Map<InstanceType, TouchedType>;
}

interface TouchedType {
  readonly prices: Map<Offering, Touch<PriceChange>>;
  readonly capacity: Map<string, Touch<string | number>>;
}

/** The change of the heaviest overlay applies (A4.7). The next overlay can conflict with the last one (A4.8). */
interface Touch<Change> {
  readonly change: Change;
  readonly last: Overlay;
}

interface Overlay {
  readonly name: string;
  readonly weight: number;
  readonly requirements: Requirements;
  readonly price: PriceChange | undefined;
  readonly capacity: readonly (readonly [string, string | number])[];
}

/** A4.6: an overlay selects a pool by its name and template labels, not by its requirements. */
function labelsOf({ nodePool }: NodePoolView): Requirements {
  return requirementsFromLabels({ ...nodePool.spec.template.metadata?.labels, [NODE_POOL]: nodePool.metadata.name });
}

/** A4.7: by descending weight; of equal weights, the later name first. */
function byPrecedence(overlays: readonly NodeOverlay[]): readonly NodeOverlay[] {
  return overlays.toSorted(
    (a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || (a.metadata.name < b.metadata.name ? 1 : -1),
  );
}

/** More characters than any price needs. A longer text can exceed the range of a number. */
const MAX_PRICE_LENGTH = 40;

function whyInvalid(overlay: NodeOverlay): OverlayConflict | undefined {
  const { price, priceAdjustment } = overlay.spec;
  const refused = (message: string): OverlayConflict => ({
    overlay: overlay.metadata.name,
    reason: 'RuntimeValidation',
    message,
  });
  for (const [field, text = ''] of Object.entries({ price, priceAdjustment })) {
    if (text.length > MAX_PRICE_LENGTH)
      return refused(`spec.${field} ${quote(text)} is too long: write at most ${MAX_PRICE_LENGTH} characters`);
  }
  const [first] = nodeOverlayProblems(overlay);
  return first === undefined ? undefined : refused(`${first.path.join('.')} ${first.message}: write ${first.allowed}`);
}

function readOverlay({ metadata, spec }: NodeOverlay): Overlay {
  return {
    name: metadata.name,
    weight: spec.weight ?? 0,
    requirements: requirementsFrom(spec.requirements),
    price: priceChangeOf(spec),
    capacity: Object.entries(spec.capacity ?? {}),
  };
}

interface Match {
  readonly pool: Pool;
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

/** A4.8: checks all offerings and resources of the overlay before it changes the first. */
function applyTo(pools: readonly Pool[], overlay: Overlay): OverlayConflict | undefined {
  if (overlay.price === undefined && overlay.capacity.length === 0) return undefined;
  const matches = pools.flatMap((pool) => matchesIn(pool, overlay));
  for (const match of matches) {
    const message = whyConflicting(match, overlay);
    if (message !== undefined) return { overlay: overlay.name, reason: 'Conflict', message };
  }
  for (const match of matches) touch(match, overlay);
  return undefined;
}

/** A4.6: a type without a matching offering is not selected, also for changes of capacity. */
function matchesIn(pool: Pool, { requirements }: Overlay): readonly Match[] {
  return pool.view.instanceTypes.flatMap((type) => {
    const offerings = overlaidOfferings(type, pool.labels, requirements);
    return offerings.length === 0 ? [] : [{ pool, type, offerings }];
  });
}

function whyConflicting({ pool, type, offerings }: Match, overlay: Overlay): string | undefined {
  const touched = pool.touched.get(type);
  if (touched === undefined) return undefined;
  const { price, capacity, weight } = overlay;
  const conflict = (last: Overlay, what: string): string =>
    `${quote(last.name)} also has weight ${weight}, and both set ${what} ${type.name} in NodePool ` +
    `${pool.view.nodePool.metadata.name}: change the weight of one of them`;
  for (const offering of price === undefined ? [] : offerings) {
    const last = touched.prices.get(offering)?.last;
    if (last?.weight === weight) return conflict(last, `the ${offering.capacityType} price in ${offering.zone} of`);
  }
  for (const [resource] of capacity) {
    const last = touched.capacity.get(resource)?.last;
    if (last?.weight === weight) return conflict(last, `the capacity ${resource} of`);
  }
  return undefined;
}

function touch({ pool, type, offerings }: Match, overlay: Overlay): void {
  const known: TouchedType = pool.touched.get(type) ?? { prices: new Map(), capacity: new Map() };
  const { prices, capacity } = known;
  const { price } = overlay;
  if (price !== undefined)
    for (const one of offerings) prices.set(one, { change: prices.get(one)?.change ?? price, last: overlay });
  for (const [resource, amount] of overlay.capacity)
    capacity.set(resource, { change: capacity.get(resource)?.change ?? amount, last: overlay });
  pool.touched.set(type, known);
}

function overlaidView({ view, touched }: Pool): NodePoolView {
  if (touched.size === 0) return view;
  const instanceTypes = view.instanceTypes.map((type) => {
    const changes = touched.get(type);
    if (changes === undefined) return type;
    return overlaidType(type, {
      prices: new Map([...changes.prices].map(([offering, { change }]) => [offering, change])),
      capacity: Object.fromEntries([...changes.capacity].map(([resource, { change }]) => [resource, change])),
    });
  });
  return { ...view, instanceTypes };
}
