/**
 * Proves how far the price of a plan is above the best price: `npm run bench:bound -- [--requests DIR] [--scenarios DIR] [--cases A,B*]
 * [--branches N]`.
 * The bound of a decision allows fractions of pods. This one does not, and takes seconds to minutes. No bound of this kind is above `at most`:
 * what the plan costs above it is not due to the bound.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { schedulePodsWithBound } from '../lib/core/provisioning/schedule-pods.ts';
import { cheapestUsd } from '../lib/core/scheduling/schedule.ts';
import { readSnapshot } from '../lib/snapshot/read-snapshot.ts';
import { scriptOptions } from '../scripts/script-options.ts';
import { BRANCHES, provedBound } from './bound/column-generation.ts';
import { packingOf } from './bound/packing-of.ts';
import { type Case, chooseCases } from './cases.ts';

const { values } = scriptOptions({
  options: {
    scenarios: { type: 'string' },
    requests: { type: 'string' },
    cases: { type: 'string', default: 'generic-2000' },
    branches: { type: 'string', default: String(BRANCHES) },
  },
});

const branches = Number(values.branches);
if (!(branches > 0)) throw new RangeError(`--branches is ${values.branches}: allowed is a number from 1`);

/** npm runs scripts in the package's root; paths are relative to the user's working directory. */
const folderOf = (path: string | undefined) =>
  path === undefined ? undefined : resolve(process.env['INIT_CWD'] ?? process.cwd(), path);

console.log('case                          classes      $/h   bound  gap %  proved  gap %  at most  rounds      s');
for (const one of chooseCases({
  ...values,
  scenarios: folderOf(values.scenarios),
  requests: folderOf(values.requests),
  names: values.cases.split(','),
}))
  console.log(lineOf(one));

function lineOf(one: Case): string {
  const text = one.kind === 'scenario' ? readFileSync(one.file, 'utf8') : JSON.stringify(one.document());
  const { snapshot, nowMs } = readSnapshot({ readText: () => text }, { path: one.name, nowMs: Date.now() });
  const { schedule, boundOf } = schedulePodsWithBound(snapshot, nowMs, () => undefined);
  const [price, bound] = [cheapestUsd(schedule.newClaims), boundOf(schedule.newClaims) ?? 0];
  const start = performance.now();
  const packing = packingOf(snapshot, nowMs, schedule.newClaims);
  if (typeof packing === 'string') return `${one.name.padEnd(29)} ${packing}`;
  const proved = provedBound(packing, branches);
  const seconds = (performance.now() - start) / 1_000;
  const best = Math.max(bound, proved.usdPerHour);
  return [
    one.name.padEnd(29),
    String(packing.classes.length).padStart(7),
    price.toFixed(2).padStart(8),
    bound.toFixed(2).padStart(7),
    gap(price, bound).padStart(6),
    best.toFixed(2).padStart(7),
    gap(price, best).padStart(6),
    proved.relaxedUsdPerHour.toFixed(2).padStart(8),
    String(proved.rounds).padStart(7),
    seconds.toFixed(1).padStart(6),
  ].join(' ');
}

function gap(price: number, bound: number): string {
  return (Math.round(1e4 * (price / bound - 1)) / 100 + 0).toFixed(2);
}
