import { drawLines } from '../pictures/draw-lines.ts';
import { titleOf } from './render-week.ts';
import type { MeasuredWeek } from './run-week.ts';

/** The pictures of docs/pictures: the name of each file, and its SVG. */
export function picturesOf(weeks: readonly MeasuredWeek[]): readonly (readonly [file: string, svg: string])[] {
  return [
    ['week-cost.svg', drawLines({ title: 'Price of the nodes', unit: '$/h', lines: linesOf(weeks, 'usdPerHour') })],
    [
      'week-evictions.svg',
      drawLines({ title: 'Evicted pods since the start', unit: 'pods', lines: linesOf(weeks, 'evictions') }),
    ],
  ];
}

function linesOf(
  weeks: readonly MeasuredWeek[],
  field: 'usdPerHour' | 'evictions',
): Parameters<typeof drawLines>[0]['lines'] {
  return weeks.map((week) => ({
    name: titleOf(week),
    points: week.samples.map((sample) => ({ x: sample.hour / 24, y: sample[field] })),
  }));
}
