import { dirname, isAbsolute, join } from 'node:path';
import { BadInputError } from '../../apis/bad-input-error.ts';
import type { Scenario } from '../../apis/scenario/scenario.ts';
import { type ReadTrace, readTrace } from '../../manifests/read/read-trace.ts';
import type { CliContext } from '../context.ts';
import { reasonOf } from '../read-sources.ts';

/** About five million rows. */
const MAX_TRACE = 256 * 1_024 * 1_024;

/** Reads the trace of a Scenario. *Shape:* undefined without one. *Errors:* BadInputError for a file that cannot be read. */
export function scenarioTrace(context: CliContext, scenario: Scenario | undefined): ReadTrace | undefined {
  if (scenario?.trace === undefined) return undefined;
  const { file, declaredIn } = scenario.trace;
  const path = isAbsolute(file) ? file : join(dirname(declaredIn), file);
  try {
    return readTrace(path, context.readText(path, MAX_TRACE));
  } catch (cause) {
    throw new BadInputError(
      `${path} cannot be read: ${reasonOf(cause)}. It is the trace of Scenario/${scenario.name} in ${declaredIn}: its path is relative to that file`,
    );
  }
}
