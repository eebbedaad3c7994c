/** Plays one scenario in this process and writes what it used to stdout as JSON: `node benchmarks/cost/run-cost.ts NAME`. */
import { COST_SCENARIOS } from './cost-scenarios.ts';
import { play } from './play.ts';

const scenario = COST_SCENARIOS.find(({ name }) => name === process.argv[2]);
if (scenario === undefined)
  throw new RangeError(`usage: run-cost.ts ${COST_SCENARIOS.map(({ name }) => name).join('|')}`);
process.stdout.write(`${JSON.stringify(await play(scenario))}\n`);
