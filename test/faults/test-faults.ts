/**
 * Runs Kerf in the simulator under random faults: `npm run test:faults -- --seeds 500`. Ends with one plain line,
 * `N passed, N failed`.
 *
 * `--plant NAME`, `--plants`: with a planted bug, or with each of them; a plant passes if a seed fails with it.
 * `--report FILE`: a report as vitest writes it. `--from S`: the first seed. `--seed S`: one seed, with `--only 3,9` for some of its faults and `--verbose` for its timeline.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counted } from '../../lib/apis/counted.ts';
import { scriptOptions } from '../../scripts/script-options.ts';
import { clock, describeEntry, describeFault } from './describe.ts';
import { judge, type Verdict, withOnly } from './judge.ts';
import { judgeSeeds } from './judge-seeds.ts';
import { bugOf, findPlant, plantNames, plantsIn } from './plants.ts';
import { runStory } from './run-story.ts';
import { formatKept, parseKept, shrink } from './shrink.ts';
import { storyOf } from './story/story.ts';

/** Failing seeds that are shrunk: shrinking one takes half a minute. */
const SHRUNK = 5;
const SEEDS = 500;
/** A planted bug must be found within this many seeds. */
const MAX_SEEDS_OF_PLANT = 2_000;

type FailedVerdict = Required<Verdict>;

const { values } = scriptOptions({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    only: { type: 'string' },
    report: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    plant: { type: 'string' },
    plants: { type: 'boolean', default: false },
    'until-found': { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: true },
  },
  allowNegative: true,
});

if (values.plant !== undefined || values.plants)
  await findPlants(values.plant === undefined ? plantNames() : plantsIn(values.plant));
else if (values.seed === undefined) await runMany(number('seeds', SEEDS), number('from'));
else await runOne(number('seed'));

function number(name: 'seeds' | 'from' | 'workers' | 'seed', otherwise?: number): number {
  const value = Number(values[name] ?? otherwise);
  if (Number.isInteger(value) && value >= 0) return value;
  console.error(`--${name} ${values[name]}: write a whole number`);
  process.exit(2);
}

async function runOne(seed: number): Promise<void> {
  const kept = values.only === undefined ? undefined : parseKept(values.only);
  const story = kept === undefined ? storyOf(seed) : withOnly(storyOf(seed), kept);
  console.log(`seed ${seed}: ${story.theme}, calm from ${clock(story.calmFromMs)}`);
  for (const fault of story.faults) console.log(`  ${describeFault(fault)}`);
  if (values.verbose) {
    const { timeline } = await runStory(story);
    for (const entry of timeline) console.log(describeEntry(entry));
  }
  const verdict = await judge(seed, kept);
  if (verdict.violation !== undefined)
    console.log(`${clock(verdict.violation.atMs)} ${verdict.violation.rule}: ${verdict.violation.message}`);
  end(verdict.violation === undefined ? 1 : 0, verdict.violation === undefined ? 0 : 1);
}

async function runMany(seeds: number, from: number): Promise<void> {
  const failed: FailedVerdict[] = [];
  let done = 0;
  const startMs = performance.now();
  await judgeSeeds({
    from,
    seeds,
    workers: number('workers'),
    onVerdict(verdict) {
      done += 1;
      const { seed, theme, violation } = verdict;
      if (violation !== undefined) {
        failed.push({ seed, theme, violation });
        if (process.stdout.isTTY) process.stdout.write('\r');
        console.log(`seed ${seed} (${theme}), ${clock(violation.atMs)}: ${violation.rule}: ${violation.message}`);
      }
      const progress = `${done} of ${seeds} seeds, ${failed.length} failed`;
      if (process.stdout.isTTY) process.stdout.write(`\r${progress} `);
      else if (done % SEEDS === 0 && done < seeds) console.log(progress);
      return !values['until-found'] || failed.length === 0;
    },
  });
  if (process.stdout.isTTY) process.stdout.write('\n');
  if (values.report !== undefined) writeReport(values.report, { from, seeds, failed });
  const ordered = failed.toSorted((a, b) => a.seed - b.seed);
  for (const [at, verdict] of ordered.entries()) await explain(verdict, values.shrink && at < SHRUNK);
  console.log(`${seeds} seeds in ${Math.round((performance.now() - startMs) / 1_000)} s`);
  end(seeds - failed.length, failed.length);
}

/** One test for each seed, for `scripts/sum-tests.ts`. */
function writeReport(
  file: string,
  { from, seeds, failed }: { readonly from: number; readonly seeds: number; readonly failed: readonly FailedVerdict[] },
): void {
  const rules = new Map(failed.map(({ seed, violation }) => [seed, violation.rule]));
  const assertionResults = Array.from({ length: seeds }, (_, nth) => {
    const rule = rules.get(from + nth);
    return {
      status: rule === undefined ? 'passed' : 'failed',
      fullName: `seed ${from + nth}${rule === undefined ? '' : `: ${rule}`}`,
    };
  });
  const status = failed.length === 0 ? 'passed' : 'failed';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ testResults: [{ name: fileURLToPath(import.meta.url), status, assertionResults }] }),
  );
}

/** A plant passes if a seed fails with it. `--workers` plants at a time, each with one thread, so that the first failing seed is found. */
async function findPlants(names: readonly string[]): Promise<void> {
  const left = [...names];
  const missed: string[] = [];
  const seeds = number('seeds', MAX_SEEDS_OF_PLANT);
  const from = number('from');
  const next = async (): Promise<void> => {
    const name = left.shift();
    if (name === undefined) return;
    const startMs = performance.now();
    const found = await findPlant(name, { seeds, from });
    const took = `${Math.round((performance.now() - startMs) / 1_000)} s`;
    if (found === undefined) missed.push(name);
    console.log(
      found === undefined
        ? `NOT FOUND ${name}: ${counted(seeds, 'seed')}, ${took}: ${bugOf(name)}`
        : `found ${name}: ${counted(found.seed - from + 1, 'seed')}, ${took}: seed ${found.seed}, ${found.violation}`,
    );
    await next();
  };
  await Promise.all(Array.from({ length: number('workers') }, next));
  if (missed.length > 0) console.log(`not found: ${missed.toSorted().join(', ')}`);
  end(names.length - missed.length, missed.length);
}

/** The shortest faults that still fail, and the command that replays them. */
async function explain({ seed, violation }: FailedVerdict, isShrunk: boolean): Promise<void> {
  if (!isShrunk) return console.log(`npm run test:faults -- --seed ${seed}`);
  const kept = await shrink(seed, violation.rule);
  console.log(`seed ${seed} fails with these of its faults:`);
  for (const fault of withOnly(storyOf(seed), kept).faults) console.log(`  ${describeFault(fault)}`);
  console.log(`  npm run test:faults -- --seed ${seed} --only ${formatKept(kept)}`);
}

function end(passed: number, failed: number): void {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
