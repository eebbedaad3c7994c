import { ARCH } from '../../../apis/labels.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { LaunchType } from '../../model/node-claim-record.ts';

/** The instance type as the record of a claim has it. */
export function launchTypeOf({ name, requirements, capacity, allocatable, launch }: InstanceType): LaunchType {
  const architecture = requirements.get(ARCH)?.values.has('arm64') === true ? 'arm64' : 'amd64';
  return { name, architecture, capacity, allocatable, ...launch };
}
