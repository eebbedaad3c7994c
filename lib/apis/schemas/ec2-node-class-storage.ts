import {
  atomicListOf,
  BOOLEAN,
  closed,
  described,
  enumSchema,
  INT32,
  INT64,
  patternSchema,
  type Schema,
  STRING,
  withRules,
} from './schema.ts';

/** The server also accepts the bare units Ti and T, and only some of the larger sizes in Ti. */
const GI = '([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi';
const G = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G';
const TI = '([1-9]|[1-5][0-7]|58)?Ti';
const T = '([1-9]|[1-5][0-9]|6[0-4])?T';

/** A3.19: matches a whole text. */
export const VOLUME_SIZE_PATTERN = `^(${GI}|${G}|${TI}|${T})$`;

const VOLUME_SIZE: Schema = patternSchema(
  VOLUME_SIZE_PATTERN,
  'a whole size such as 100Gi, at most 59000Gi, 64000G, 58Ti or 64T; write 18, 19, 28, 29, 38, 39, 48 and 49Ti in Gi',
);

const BLOCK_DEVICE: Schema = {
  title: 'BlockDevice',
  ...described(
    'The EBS volume of the device.',
    withRules(
      closed({
        volumeSize: described('The size in Gi, G, Ti or T. Default: the size of the snapshot.', VOLUME_SIZE),
        volumeType: described(
          'The type of the volume. Default: the default of EC2.',
          enumSchema('standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3'),
        ),
        iops: described('I/O operations per second, for gp3, io1 and io2. Default: the baseline of the type.', INT64),
        throughput: described('Throughput in MiB per second, for gp3. Default: the baseline of the type.', INT64),
        encrypted: described('Whether the volume is encrypted. Default: the setting of the account.', BOOLEAN),
        kmsKeyID: described(
          'The KMS key of an encrypted volume, by id, alias or ARN. Default: the default key of the account.',
          STRING,
        ),
        deleteOnTermination: described(
          'Whether the volume is deleted with its instance. Default: the default of EC2.',
          BOOLEAN,
        ),
        snapshotID: described('The snapshot that the volume is created from. Default: an empty volume.', STRING),
        volumeInitializationRate: {
          ...described(
            'The rate in MiB per second at which the snapshot is loaded. Default: data is loaded when it is read.',
            INT32,
          ),
          minimum: 100,
          maximum: 300,
        },
      }),
      {
        rule: 'has(self.snapshotID) || has(self.volumeSize)',
        message: 'has neither volumeSize nor snapshotID',
        allowed: 'a volumeSize such as 100Gi',
      },
      {
        rule: "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
        message: 'needs a snapshotID',
        allowed: 'a snapshotID too',
        fieldPath: '.volumeInitializationRate',
      },
    ),
  ),
};

/** A3.19 */
export const BLOCK_DEVICES: Schema = described(
  'The volumes of every instance. Default: those of the AMI family.',
  withRules(
    atomicListOf(
      {
        title: 'BlockDeviceMapping',
        ...closed({
          deviceName: described('The name of the device on the instance, such as /dev/xvda.', STRING),
          rootVolume: described(
            'Whether the kubelet stores its files on this volume. Its size is then the ephemeral storage of the node.',
            BOOLEAN,
          ),
          ebs: BLOCK_DEVICE,
        }),
      },
      { maxItems: 50 },
    ),
    {
      rule: 'self.filter(x, has(x.rootVolume) && x.rootVolume).size() <= 1',
      message: 'has more than one root volume',
      allowed: 'rootVolume: true once',
    },
  ),
);
