import {
  type Catalogue,
  type InstanceTypeFacts,
  type NetworkCard,
  PLACEMENT_STRATEGIES,
  type RegionalOffering,
} from './facts.ts';

/**
 * Decodes the bundled figures: `data/instance-types.json` and one file of `data/regions/`, both as parsed JSON.
 * *Shape:* every instance type, and the offerings of the region in order of type and zone.
 * *Errors:* TypeError that names the value that does not have the format of `data/README.md`.
 */
export function readCatalogue(instanceTypesJson: unknown, regionJson: unknown): Catalogue {
  const region = record(regionJson, 'region document');
  return {
    region: text(region['region'], 'region document, region'),
    asOf: text(region['asOf'], 'region document, asOf'),
    facts: readFacts(instanceTypesJson),
    offerings: readOfferings(region),
  };
}

/** The cells of a row by column. An absent cell is null or lies after the end of the row. */
type Cells = Readonly<Record<string, unknown>>;

/** Columns whose cells may be absent. The header must have them all, so that a misspelt column is an error. */
const OPTIONAL_COLUMNS = [
  'cpuManufacturer',
  'sustainedClockMhz',
  'branchInterfaces',
  'baselineNetworkMbps',
  'ebsMbps',
  'ebsAttachments',
  'instanceStoreGb',
  'localNvmeGb',
  'gpus',
  'neuron',
  'accelerators',
  'networkCards',
  'nestedVirtualization',
  'placementStrategies',
];

/** Decodes the instance types of all regions. *Errors:* as `readCatalogue`. */
export function readFacts(instanceTypesJson: unknown): readonly InstanceTypeFacts[] {
  const document = record(instanceTypesJson, 'instance types');
  const columns = list(document['columns'], 'instance types, columns').map((name) =>
    text(name, 'instance types, columns'),
  );
  const missing = OPTIONAL_COLUMNS.find((name) => !columns.includes(name));
  if (missing !== undefined) throw new TypeError(`instance types: the column ${missing} is missing`);
  return list(document['rows'], 'instance types, rows').map((row, at) => {
    const cells = list(row, `instance types, row ${at}`);
    return factsFrom(Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? undefined])), at);
  });
}

function factsFrom(cells: Cells, at: number): InstanceTypeFacts {
  const place = (column: string) => `instance types, row ${at} (${String(cells['name'])}), ${column}`;
  const textOf = (column: string) => text(cells[column], place(column));
  const numberOf = (column: string) => number(cells[column], place(column));
  const maybeNumber = (column: string) => (cells[column] === undefined ? undefined : numberOf(column));
  const flagOf = (column: string) => flag(cells[column], place(column));
  return {
    name: textOf('name'),
    architecture: oneOf(cells['architecture'], ['amd64', 'arm64'], place('architecture')),
    vcpus: numberOf('vcpus'),
    memoryMib: numberOf('memoryMib'),
    hypervisor: textOf('hypervisor'),
    bareMetal: flagOf('bareMetal'),
    usageClasses: list(cells['usageClasses'], place('usageClasses')).map((each) =>
      oneOf(each, ['on-demand', 'spot'], place('usageClasses')),
    ),
    cpuManufacturer: manufacturer(cells['cpuManufacturer'], place('cpuManufacturer')),
    sustainedClockMhz: maybeNumber('sustainedClockMhz'),
    encryptionInTransit: flagOf('encryptionInTransit'),
    nitroEnclaves: flagOf('nitroEnclaves'),
    maxNetworkInterfaces: numberOf('maxNetworkInterfaces'),
    ipv4PerInterface: numberOf('ipv4PerInterface'),
    efaInterfaces: numberOf('efaInterfaces'),
    branchInterfaces: maybeNumber('branchInterfaces'),
    baselineNetworkMbps: maybeNumber('baselineNetworkMbps'),
    ebsMbps: maybeNumber('ebsMbps'),
    ebsAttachments: maybeNumber('ebsAttachments'),
    instanceStoreGb: maybeNumber('instanceStoreGb'),
    localNvmeGb: maybeNumber('localNvmeGb'),
    ...deviceFacts(cells, place),
    ...placingFacts(cells, place),
  };
}

type PlacingFacts = Pick<InstanceTypeFacts, 'networkCards' | 'nestedVirtualization' | 'placementStrategies'>;

/** Facts that decide whether a type can be launched with a NodeClass (C27). Absent means the most common value. */
function placingFacts(cells: Cells, place: (column: string) => string): PlacingFacts {
  const { networkCards: cards, nestedVirtualization: nested, placementStrategies: strategies } = cells;
  return {
    networkCards: cards === undefined ? undefined : cardsOf(cards, place('networkCards')),
    nestedVirtualization: nested === undefined ? undefined : flag(nested, place('nestedVirtualization')),
    placementStrategies:
      strategies === undefined
        ? undefined
        : list(strategies, place('placementStrategies')).map((each) =>
            oneOf(each, PLACEMENT_STRATEGIES, place('placementStrategies')),
          ),
  };
}

/** Equal cards in a row are one entry: `[count, interfaces of each card, whether a card supports EFA]`. */
function cardsOf(cell: unknown, where: string): readonly NetworkCard[] {
  return list(cell, where).flatMap((run) => {
    const [count, interfaces, efa] = list(run, where);
    const card = { interfaces: number(interfaces, where), efa: flag(efa, where) };
    return Array.from({ length: number(count, where) }, () => card);
  });
}

type DeviceFacts = Pick<InstanceTypeFacts, 'gpus' | 'neuron' | 'accelerators'>;

/** A cell has one list for each kind of device; an absent cell means none. */
function deviceFacts(cells: Cells, place: (column: string) => string): DeviceFacts {
  const kindsOf = (column: string) => list(cells[column] ?? [], place(column)).map((kind) => list(kind, place(column)));
  return {
    gpus: kindsOf('gpus').map(([name, maker, count, memoryMib]) => ({
      name: text(name, place('gpus')),
      manufacturer: text(maker, place('gpus')),
      count: number(count, place('gpus')),
      memoryMib: number(memoryMib, place('gpus')),
    })),
    neuron: kindsOf('neuron').map(([name, count, cores]) => ({
      name: text(name, place('neuron')),
      count: number(count, place('neuron')),
      coresPerDevice: number(cores, place('neuron')),
    })),
    accelerators: kindsOf('accelerators').map(([name, maker, count]) => ({
      name: text(name, place('accelerators')),
      manufacturer: text(maker, place('accelerators')),
      count: number(count, place('accelerators')),
    })),
  };
}

function manufacturer(value: unknown, where: string): InstanceTypeFacts['cpuManufacturer'] {
  return value === undefined ? undefined : oneOf(value, ['aws', 'intel', 'amd'], where);
}

/** A type is `[zone letters, on-demand price, spot price]`. A missing price is null or left out. */
function readOfferings(region: Readonly<Record<string, unknown>>): readonly RegionalOffering[] {
  const zones = Object.entries(record(region['zones'], 'region document, zones')).map(([zone, id]) => ({
    letter: zone.slice(-1),
    zone,
    zoneId: text(id, `region document, zones, ${zone}`),
  }));
  return Object.entries(record(region['types'], 'region document, types')).flatMap(([type, entry]) => {
    const where = `region document, types, ${type}`;
    const [letters, onDemand, spot] = list(entry, where);
    const offered = new Set(text(letters, where));
    const here = zones.filter(({ letter }) => offered.has(letter));
    if (here.length !== offered.size) throw malformed(letters, 'letters of the zones of the region', where);
    const onDemandUsdPerHour = price(onDemand, where);
    const spotUsdPerHour = price(spot, where);
    return here.map(({ zone, zoneId }) => ({ type, zone, zoneId, onDemandUsdPerHour, spotUsdPerHour }));
  });
}

function price(value: unknown, where: string): number | undefined {
  return value === undefined || value === null ? undefined : number(value, where);
}

function record(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(value, 'an object', where);
  return Object.fromEntries(Object.entries(value));
}

function list(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(value, 'a list', where);
  return value;
}

function text(value: unknown, where: string): string {
  if (typeof value !== 'string') throw malformed(value, 'text', where);
  return value;
}

function flag(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw malformed(value, 'true or false', where);
  return value;
}

function number(value: unknown, where: string): number {
  if (typeof value !== 'number' || value < 0) throw malformed(value, 'a number of 0 or more', where);
  return value;
}

function oneOf<const T extends string>(value: unknown, allowed: readonly T[], where: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw malformed(value, allowed.join(' or '), where);
  return found;
}

function malformed(value: unknown, expected: string, where: string): TypeError {
  return new TypeError(`${where}: ${JSON.stringify(value) ?? 'nothing'} is not ${expected}`);
}
