import { describe, expect, test } from 'vitest';
import { readCatalogue } from '../../../lib/core/instance-type/catalogue.ts';

const COLUMNS = [
  ['name', 'm5d.large'],
  ['architecture', 'amd64'],
  ['vcpus', 2],
  ['memoryMib', 8192],
  ['hypervisor', 'nitro'],
  ['bareMetal', false],
  ['usageClasses', ['on-demand', 'spot']],
  ['encryptionInTransit', false],
  ['nitroEnclaves', false],
  ['maxNetworkInterfaces', 3],
  ['ipv4PerInterface', 10],
  ['efaInterfaces', 0],
  ['cpuManufacturer', 'intel'],
  ['sustainedClockMhz', 3100],
  ['branchInterfaces', 9],
  ['baselineNetworkMbps', null],
  ['ebsMbps', 4750],
  ['ebsAttachments', 26],
  ['instanceStoreGb', 75],
  ['localNvmeGb', 75],
  ['gpus', [['T4', 'NVIDIA', 1, 16384]]],
  ['neuron', [['Inferentia', 1, 4]]],
  ['accelerators', null],
  [
    'networkCards',
    [
      [1, 4, false],
      [2, 3, true],
    ],
  ],
  ['nestedVirtualization', true],
  ['placementStrategies', ['partition', 'spread']],
] as const;

/** The document of one type, with some of its cells replaced. */
function typesOf(cells: Readonly<Record<string, unknown>> = {}) {
  return {
    columns: COLUMNS.map(([name]) => name),
    rows: [COLUMNS.map(([name, value]) => (name in cells ? cells[name] : value))],
  };
}

const REGION = {
  region: 'eu-west-3',
  asOf: '2026-07-01T00:00:00Z',
  zones: { 'eu-west-3a': 'euw3-az1', 'eu-west-3b': 'euw3-az2' },
  types: { 'm5d.large': ['ab', 0.126, 0.04], 'c5.large': ['b', 0.1], 'c4.large': ['a', null, 0.03] },
};

describe('a catalogue', () => {
  test('has the facts by column, and what is absent stays absent', () => {
    expect(readCatalogue(typesOf(), REGION).facts).toEqual([
      {
        ...Object.fromEntries(COLUMNS),
        baselineNetworkMbps: undefined,
        gpus: [{ name: 'T4', manufacturer: 'NVIDIA', count: 1, memoryMib: 16384 }],
        neuron: [{ name: 'Inferentia', count: 1, coresPerDevice: 4 }],
        accelerators: [],
        networkCards: [
          { interfaces: 4, efa: false },
          { interfaces: 3, efa: true },
          { interfaces: 3, efa: true },
        ],
      },
    ]);
  });
  test('reads a row that ends early as one whose last cells are absent', () => {
    const { columns, rows } = typesOf();
    const [facts] = readCatalogue({ columns, rows: rows.map((row) => row.slice(0, 12)) }, REGION).facts;
    expect(facts).toMatchObject({
      ebsMbps: undefined,
      gpus: [],
      networkCards: undefined,
      placementStrategies: undefined,
    });
  });
  test('has an offering a type and zone, with the prices that are known', () => {
    const { region, asOf, offerings } = readCatalogue(typesOf(), REGION);
    expect([region, asOf]).toEqual(['eu-west-3', '2026-07-01T00:00:00Z']);
    expect(offerings).toEqual([
      { type: 'm5d.large', zone: 'eu-west-3a', zoneId: 'euw3-az1', onDemandUsdPerHour: 0.126, spotUsdPerHour: 0.04 },
      { type: 'm5d.large', zone: 'eu-west-3b', zoneId: 'euw3-az2', onDemandUsdPerHour: 0.126, spotUsdPerHour: 0.04 },
      { type: 'c5.large', zone: 'eu-west-3b', zoneId: 'euw3-az2', onDemandUsdPerHour: 0.1 },
      { type: 'c4.large', zone: 'eu-west-3a', zoneId: 'euw3-az1', spotUsdPerHour: 0.03 },
    ]);
  });
});

describe('a malformed document is refused with the place and the value:', () => {
  const { columns } = typesOf();
  test.each([
    ['text', REGION, 'instance types: "text" is not an object'],
    [typesOf(), [], 'region document: [] is not an object'],
    [{ columns }, REGION, 'instance types, rows: nothing is not a list'],
    [{ columns: columns.slice(1), rows: [] }, { ...REGION, asOf: 1 }, 'region document, asOf: 1 is not text'],
    [{ columns: columns.slice(0, -1), rows: [] }, REGION, 'instance types: the column placementStrategies is missing'],
    [typesOf({ vcpus: '2' }), REGION, 'instance types, row 0 (m5d.large), vcpus: "2" is not a number of 0 or more'],
    [typesOf({ vcpus: -1 }), REGION, 'instance types, row 0 (m5d.large), vcpus: -1 is not a number of 0 or more'],
    [typesOf({ bareMetal: 0 }), REGION, 'instance types, row 0 (m5d.large), bareMetal: 0 is not true or false'],
    [typesOf({ architecture: 'riscv' }), REGION, '(m5d.large), architecture: "riscv" is not amd64 or arm64'],
    [typesOf({ usageClasses: ['x'] }), REGION, '(m5d.large), usageClasses: "x" is not on-demand or spot'],
    [typesOf({ gpus: [['T4', 'NVIDIA']] }), REGION, '(m5d.large), gpus: nothing is not a number of 0 or more'],
    [typesOf({ networkCards: [[1, 4]] }), REGION, '(m5d.large), networkCards: nothing is not true or false'],
    [typesOf({ placementStrategies: ['x'] }), REGION, 'placementStrategies: "x" is not cluster or partition or spread'],
    [typesOf(), { ...REGION, types: { a: ['c', 1] } }, 'types, a: "c" is not letters of the zones of the region'],
    [typesOf(), { ...REGION, types: { a: ['a', 'free'] } }, 'types, a: "free" is not a number of 0 or more'],
  ])('%#', (types, region, message) => {
    expect(() => readCatalogue(types, region)).toThrow(message);
  });
});
