import { ARCH } from '../../../apis/labels.ts';
import { valuesOf } from '../../instance-type/type-requirements.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { LaunchType } from '../../model/node-claim-record.ts';

/** The instance type in the form that NodeClaim records contain. */
export function launchTypeOf(type: InstanceType): LaunchType {
  const { name, capacity, allocatable, launch } = type;
  const architecture = valuesOf(type, ARCH).includes('arm64') ? 'arm64' : 'amd64';
  return { name, architecture, capacity, allocatable, ...launch };
}
