import { amiFamilyOf, type BlockDeviceMapping, type EC2NodeClass } from '../../apis/ec2-node-class.ts';

/** The volumes of an instance: those of the NodeClass, else of the AMI family (C76); none for Custom, where the image defines them. */
export function volumesOf(nodeClass: EC2NodeClass): readonly BlockDeviceMapping[] {
  if (nodeClass.spec.blockDeviceMappings !== undefined) return nodeClass.spec.blockDeviceMappings;
  const family = amiFamilyOf(nodeClass);
  if (family === 'Custom') return [];
  if (family === 'Bottlerocket') return [volume('/dev/xvda', '4Gi'), volume('/dev/xvdb', '20Gi')];
  return family.startsWith('Windows') ? [volume('/dev/sda1', '50Gi')] : [volume('/dev/xvda', '20Gi')];
}

function volume(deviceName: string, volumeSize: string): BlockDeviceMapping {
  return { deviceName, ebs: { volumeSize, volumeType: 'gp3', encrypted: true } };
}
