import { parseDuration } from '../../apis/formats/duration.ts';
import { isTimeZone, parseJobSchedule } from '../../apis/formats/job-schedule.ts';
import { quote } from '../../apis/formats/quote.ts';
import { type CronJob, type Job, type JobSpec, SIMULATED_DURATION } from '../../apis/workloads.ts';
import type { Path, Report } from '../explain/problem.ts';
import { checkPodSpec } from './check-pod-spec.ts';

export function checkJob({ spec }: Job, report: Report): void {
  checkJobSpec(spec, ['spec'], report);
}

export function checkCronJob({ spec }: CronJob, report: Report): void {
  const { schedule, timeZone, jobTemplate } = spec;
  const hasZone = /^(?:CRON_)?TZ=/.test(schedule);
  if (hasZone)
    report(['spec', 'schedule'], `${quote(schedule)} has a time zone`, 'spec.timeZone, and a schedule without one');
  else if (parseJobSchedule(schedule) === undefined)
    report(
      ['spec', 'schedule'],
      `${quote(schedule)} is not a schedule`,
      'five fields such as 0 9 * * mon-fri, a shorthand such as @hourly, or @every 90m',
    );
  if (timeZone !== undefined && !isTimeZone(timeZone))
    report(['spec', 'timeZone'], `${quote(timeZone)} is not a time zone`, 'an IANA name such as Europe/Paris, or UTC');
  checkJobSpec(jobTemplate.spec, ['spec', 'jobTemplate', 'spec'], report);
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
