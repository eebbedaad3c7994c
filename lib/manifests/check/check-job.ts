import { parseDuration } from '../../apis/formats/duration.ts';
import { quote } from '../../apis/formats/quote.ts';
import { type Job, type JobSpec, SIMULATED_DURATION } from '../../apis/workloads.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkPodSpec } from './check-pod-spec.ts';

export function checkJob({ spec }: Job, report: Report): void {
  checkJobSpec(spec, ['spec'], report);
}

/** Checks the Kubernetes rules for Jobs that involve more than one field. */
function checkJobSpec(spec: JobSpec, at: Path, report: Report): void {
  const { completionMode, completions, template } = spec;
  if (completionMode === 'Indexed' && completions === undefined)
    report([...at, 'completions'], 'is missing, and completionMode: Indexed requires it', 'the number of indexes');
  const { restartPolicy } = template.spec;
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never')
    report(
      [...at, 'template', 'spec', 'restartPolicy'],
      restartPolicy === undefined ? 'is missing' : `${quote(restartPolicy)} is not allowed in a Job`,
      'OnFailure or Never',
    );
  const duration = template.metadata?.annotations?.[SIMULATED_DURATION];
  if (duration !== undefined && parseDuration(duration) === undefined)
    report(
      [...at, 'template', 'metadata', 'annotations', SIMULATED_DURATION],
      `${quote(duration)} is not a duration`,
      'a duration such as 90s, 10m or 1h30m',
    );
  checkPodSpec(template.spec, [...at, 'template', 'spec'], report);
}
