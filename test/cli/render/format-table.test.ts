import { expect, test } from 'vitest';
import { type CellColumn, formatTableWithin } from '../../../lib/cli/render/format-table.ts';

interface Node {
  readonly name: string;
  readonly zone: string;
  readonly devices: string;
  readonly price: string;
}

const COLUMNS: readonly CellColumn<Node>[] = [
  { title: 'node', align: 'left', cell: ({ name }) => name },
  { title: 'zone', align: 'left', cell: ({ zone }) => zone, spare: 2 },
  { title: 'devices', align: 'left', cell: ({ devices }) => devices },
  { title: '$/h', align: 'right', cell: ({ price }) => price, spare: 1 },
];

const NODES: readonly Node[] = [
  { name: 'node-a', zone: 'us-east-1a', devices: '', price: '0.1000' },
  { name: 'node-b', zone: 'us-east-1b', devices: '', price: '10.2000' },
];
const WITH_GPU = [...NODES, { name: 'node-c', zone: 'us-east-1c', devices: '1×gpu', price: '1.0000' }];

test('a table that fits has all columns and no note', () => {
  expect(formatTableWithin(COLUMNS, WITH_GPU, 60)).toEqual({
    titles: 'node    zone        devices      $/h',
    rows: [
      'node-a  us-east-1a            0.1000',
      'node-b  us-east-1b           10.2000',
      'node-c  us-east-1c  1×gpu     1.0000',
    ],
    note: [],
  });
});

test('a column without text is left out first, and is not named', () => {
  const { titles, note } = formatTableWithin(COLUMNS, NODES, 30);
  expect({ titles, note }).toEqual({ titles: 'node    zone            $/h', note: [] });
});

test('columns are left out in their order, and the note names them', () => {
  expect(formatTableWithin(COLUMNS, WITH_GPU, 30)).toMatchObject({
    titles: 'node    zone        devices',
    note: ['(not shown at this width: $/h;', 'see --output json)'],
  });
  expect(formatTableWithin(COLUMNS, WITH_GPU, 20)).toMatchObject({
    titles: 'node    devices',
    note: ['(not shown at this', 'width: zone, $/h;', 'see --output json)'],
  });
});

test('a column that must be shown is shown in a terminal that is too narrow', () => {
  expect(formatTableWithin(COLUMNS, WITH_GPU, 5).titles).toBe('node    devices');
});
