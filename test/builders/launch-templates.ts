import type { LaunchTemplateSpec } from '../../lib/core/model/node-claim-record.ts';
import { METADATA_DEFAULTS } from '../../lib/core/node-class/plain-node-class.ts';

/** A launch template with one network interface and one encrypted volume of 20 GiB. */
export function aTemplate(over: Partial<LaunchTemplateSpec> = {}): LaunchTemplateSpec {
  return {
    securityGroupIds: ['sg-1'],
    networkInterfaces: [{ networkCard: 0, device: 0, kind: 'interface' }],
    instanceProfile: 'node',
    userData: '#!/bin/bash\ntrue\n',
    blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi', volumeType: 'gp3', encrypted: true } }],
    metadataOptions: METADATA_DEFAULTS,
    ...over,
  };
}
