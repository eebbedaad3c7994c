/** Writes `data/kerf-cost.json`: the measured costs of docs/operations.md, for the summary of `cdk synth`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measuredCosts } from '../../benchmarks/cost/measured-costs.ts';

writeFileSync(join(import.meta.dirname, '../../data/kerf-cost.json'), measuredCosts());
console.log('data/kerf-cost.json');
