import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import { amiFamilyOf, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { formatCpu } from '../../apis/formats/quantity.ts';
import { ARCH, type CapacityType } from '../../apis/labels.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { valuesOf } from '../../core/instance-type/type-requirements.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import type { ResolvedImage } from '../../core/model/resolved-node-class.ts';
import type { CliContext } from '../context.ts';
import { formatGib } from '../render/format-gib.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { indented, printable } from '../render/render-lines.ts';

const COLUMNS: readonly CellColumn<InstanceType>[] = [
  { title: 'type', align: 'left', cell: ({ name }) => name },
  {
    title: 'arch',
    align: 'left',
    cell: (type) => valuesOf(type, ARCH).join(),
    spare: 3,
  },
  { title: 'vCPU', align: 'right', cell: ({ capacity }) => formatCpu(capacity['cpu'] ?? 0) },
  { title: 'memory', align: 'right', cell: ({ capacity }) => formatGib(capacity['memory']) },
  { title: 'pods', align: 'right', cell: ({ capacity }) => String(capacity['pods'] ?? 0), spare: 5 },
  { title: 'cpu for pods', align: 'right', cell: ({ allocatable }) => formatCpu(allocatable['cpu'] ?? 0), spare: 4 },
  { title: 'memory for pods', align: 'right', cell: ({ allocatable }) => formatGib(allocatable['memory']), spare: 4 },
  { title: 'devices', align: 'left', cell: devices },
  { title: 'zones', align: 'left', cell: zones, spare: 1 },
  { title: 'on-demand $/h', align: 'right', cell: (type) => cheapest(type, 'on-demand') },
  { title: 'spot from $/h', align: 'right', cell: (type) => cheapest(type, 'spot') },
];

const DEFAULT_COLUMNS = 160;

interface Listing {
  readonly catalogue: Catalogue;
  readonly nodeClass: EC2NodeClass;
  readonly types: readonly InstanceType[];
  /** Of the EC2NodeClass. *Shape:* empty if they are not known. */
  readonly images: readonly ResolvedImage[];
  /** The number of types that no image is for, so that no node is planned as one. */
  readonly withoutImage: number;
}

/** Renders the types as a table, by family and size. */
export function renderInstanceTypes(
  listing: Listing,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const sorted = listing.types.toSorted(
    (a, b) =>
      compareText(familyOf(a), familyOf(b)) ||
      (a.capacity['cpu'] ?? 0) - (b.capacity['cpu'] ?? 0) ||
      compareText(a.name, b.name),
  );
  const { titles, rows, note } = formatTableWithin(COLUMNS, sorted, width);
  const bold = color ? styleText('bold', titles, { validateStream: false }) : titles;
  return [...indented(summary(listing), 0, width).map(printable), '', bold, ...rows, ...note]
    .map((line) => `${line}\n`)
    .join('');
}

function summary({ catalogue, nodeClass, types, ...listing }: Listing): string {
  const { region, asOf, onDemandAsOf, spotAsOf } = catalogue;
  const family = amiFamilyOf(nodeClass);
  const prices =
    onDemandAsOf === undefined && spotAsOf === undefined
      ? `bundled figures of ${asOf.slice(0, 10)}`
      : `on-demand prices ${asRead(onDemandAsOf)}, spot prices ${asRead(spotAsOf)}`;
  const count = counted(types.length, 'instance type');
  return `${count} of ${region} for EC2NodeClass/${nodeClass.metadata.name} (${family}); ${prices}.${onImages(listing)}`;
}

function onImages({ images, withoutImage }: Pick<Listing, 'images' | 'withoutImage'>): string {
  if (images.length === 0)
    return ' The file does not show which types its images are for: types without an image, which Kerf does not launch, are listed too.';
  if (withoutImage === 0) return '';
  const are = withoutImage === 1 ? 'is' : 'are';
  return ` ${counted(withoutImage, 'type')} without an image of the class ${are} left out.`;
}

function asRead(time: string | undefined): string {
  return time === undefined ? 'as bundled' : `of ${time}`;
}

/** `2×nvidia.com/gpu`. Network resources are omitted, because nearly every type has them. */
function devices({ capacity }: InstanceType): string {
  return Object.entries(capacity)
    .filter(([name]) => name.includes('/') && !name.startsWith('vpc.amazonaws.com/'))
    .map(([name, amount]) => `${amount}×${name}`)
    .join(' ');
}

/** `abc`: the zone names without the region, which the summary names. */
function zones({ offerings }: InstanceType): string {
  return [...new Set(offerings.map(({ zone }) => zone.replace(/^.*-\d(?=[a-z]$)/, '')))].toSorted().join('');
}

function cheapest({ offerings }: InstanceType, capacityType: CapacityType): string {
  const prices = offerings.filter((one) => one.capacityType === capacityType).map((one) => one.priceUsdPerHour);
  return prices.length === 0 ? '-' : Math.min(...prices).toFixed(4);
}

function familyOf({ name }: InstanceType): string {
  return name.split('.')[0] ?? '';
}
