/** Prints the end of the functions' logs when a test has failed. */
import { onTestFailed } from 'vitest';
import { logLines } from '../aws/deployment.ts';

const FUNCTIONS = ['Provisioning', 'Lifecycle', 'Disruption', 'Termination'] as const;
const LINES = 25;

/** Call it at the start of a test. */
export function tellWhyItFailed(): void {
  onTestFailed(async () => {
    for (const name of FUNCTIONS) {
      const lines = (await logLines(name)).slice(-LINES).map((line) => JSON.stringify(line).slice(0, 600));
      console.log([`${name} said last:`, ...lines].join('\n  '));
    }
  });
}
