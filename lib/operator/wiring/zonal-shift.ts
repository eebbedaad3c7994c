import type { EC2Client } from '@aws-sdk/client-ec2';
import type { EKSClient } from '@aws-sdk/client-eks';
import { RefusedError } from '../../ports/errors.ts';
import { describeZoneIds } from '../../providers/aws/catalogue/describe-catalogue.ts';
import type { EksAccess } from '../../providers/aws/eks/eks-access.ts';
import { zonalShifts } from '../../providers/aws/eks/zonal-shift.ts';
import { systemClock } from '../lambda/system-clock.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';

export interface ZonalShiftClients {
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly access: Pick<EksAccess, 'describe'>;
  readonly region: string;
}

/** C36: undefined if the cluster's configuration does not enable zonal shifts. */
export function shiftsOf(
  { name, zonalShift }: ClusterOptions,
  { ec2, eks, access, region }: ZonalShiftClients,
): (() => Promise<readonly string[]>) | undefined {
  if (zonalShift !== true) return undefined;
  return zonalShifts({
    region,
    clock: systemClock,
    credentials: async () => await eks.config.credentials(),
    clusterArn: async () => {
      const { arn } = await access.describe();
      if (arn === undefined)
        throw new RefusedError(`EKS returned no ARN for cluster ${name}: zonal shifts cannot be read`);
      return arn;
    },
    zoneNames: async () => new Map([...(await describeZoneIds(ec2))].map(([zone, id]) => [id, zone])),
  });
}
