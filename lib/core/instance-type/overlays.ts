import { NODE_POOL } from '../../apis/labels.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import { quote } from '../../apis/quote.ts';
import type { NodePoolView } from '../cluster/snapshot.ts';
import { type Requirements, requirementsFrom, requirementsFromLabels } from '../requirements/requirements.ts';
import { nodeOverlayProblems } from '../validation/node-overlay.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import { overlaidOfferings } from './overlaid-offerings.ts';
import { overlaidType } from './overlaid-type.ts';
import { type PriceChange, priceChangeOf } from './overlay-price.ts';

/** Why an overlay has no effect: the reason of its ValidationSucceeded condition (A4.1), and a sentence. */
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
 * The pools with the prices and capacities that NodeOverlays say their instance types have.
 * *Shape:* views, types and offerings that no overlay touches are the very objects that came in. An overlay is applied
 * whole or, with its reason among `conflicts`, not at all (A4.8); those are in the order of precedence.
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

/** A pool while overlays are gathered: what they have touched so far. */
interface Pool {
  readonly view: NodePoolView;
  readonly labels: Requirements;
  readonly touched: Map<InstanceType, TouchedType>;
}

interface TouchedType {
  readonly prices: Map<Offering, Touch<PriceChange>>;
  readonly capacity: Map<string, Touch<string | number>>;
}

/** The heaviest overlay's word counts (A4.7); the last that had one is what the next may clash with (A4.8). */
interface Touch<Word> {
  readonly word: Word;
  readonly last: Overlay;
}

interface Overlay {
  readonly name: string;
  readonly weight: number;
  readonly requirements: Requirements;
  readonly price: PriceChange | undefined;
  readonly capacity: readonly (readonly [string, string | number])[];
}

/** A4.6: of a pool its name and its template's labels count, not its requirements. */
function labelsOf({ nodePool }: NodePoolView): Requirements {
  return requirementsFromLabels({ ...nodePool.spec.template.metadata?.labels, [NODE_POOL]: nodePool.metadata.name });
}

/** A4.7: the heaviest first; of equals the later name. */
function byPrecedence(overlays: readonly NodeOverlay[]): readonly NodeOverlay[] {
  return overlays.toSorted(
    (a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || (a.metadata.name < b.metadata.name ? 1 : -1),
  );
}

/** More digits than any price has; some would be more than a number can hold. */
const LONGEST_PRICE = 40;

function whyInvalid(overlay: NodeOverlay): OverlayConflict | undefined {
  const { price, priceAdjustment } = overlay.spec;
  const refused = (message: string): OverlayConflict => ({
    overlay: overlay.metadata.name,
    reason: 'RuntimeValidation',
    message,
  });
  for (const [field, text = ''] of Object.entries({ price, priceAdjustment })) {
    if (text.length > LONGEST_PRICE)
      return refused(`spec.${field} ${quote(text)} is too long: write at most ${LONGEST_PRICE} characters`);
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

/** A4.8: looks at everything that the overlay would touch before it touches anything. */
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

/** A4.6: a type of which no offering matches is not meant, whatever the overlay says of its capacity. */
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
  const clash = (last: Overlay, what: string): string =>
    `${quote(last.name)} has weight ${weight} too, and both say ${what} ${type.name} in NodePool ` +
    `${pool.view.nodePool.metadata.name}: give one of them another weight`;
  for (const offering of price === undefined ? [] : offerings) {
    const last = touched.prices.get(offering)?.last;
    if (last?.weight === weight) return clash(last, `the ${offering.capacityType} price in ${offering.zone} of`);
  }
  for (const [resource] of capacity) {
    const last = touched.capacity.get(resource)?.last;
    if (last?.weight === weight) return clash(last, `the capacity ${resource} of`);
  }
  return undefined;
}

function touch({ pool, type, offerings }: Match, overlay: Overlay): void {
  const known: TouchedType = pool.touched.get(type) ?? { prices: new Map(), capacity: new Map() };
  const { prices, capacity } = known;
  const { price } = overlay;
  if (price !== undefined)
    for (const one of offerings) prices.set(one, { word: prices.get(one)?.word ?? price, last: overlay });
  for (const [resource, amount] of overlay.capacity)
    capacity.set(resource, { word: capacity.get(resource)?.word ?? amount, last: overlay });
  pool.touched.set(type, known);
}

function overlaidView({ view, touched }: Pool): NodePoolView {
  if (touched.size === 0) return view;
  const instanceTypes = view.instanceTypes.map((type) => {
    const changes = touched.get(type);
    if (changes === undefined) return type;
    return overlaidType(type, {
      prices: new Map([...changes.prices].map(([offering, { word }]) => [offering, word])),
      capacity: Object.fromEntries([...changes.capacity].map(([resource, { word }]) => [resource, word])),
    });
  });
  return { ...view, instanceTypes };
}
