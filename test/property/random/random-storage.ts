import fc from 'fast-check';
import { ZONES } from './random-instance-types.ts';

/** Random volumes: one of these kinds for the pods of a deployment. */

const KINDS = ['free', 'bound', 'limited', 'immediate', 'missing', 'ephemeral'] as const;

type Kind = (typeof KINDS)[number];

export interface DrawnStorage {
  readonly volumeOf: (app: string) => object;
  readonly kind: Kind;
  readonly zone: string;
}

export const randomStorageUse: fc.Arbitrary<DrawnStorage> = fc
  .record({ kind: fc.constantFrom(...KINDS), zone: fc.constantFrom(...ZONES) })
  .map(({ kind, zone }) => ({
    kind,
    zone,
    volumeOf: (app) =>
      kind === 'ephemeral'
        ? { name: 'data', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'limited' } } } }
        : { name: 'data', persistentVolumeClaim: { claimName: `${app}-data` } },
  }));

/** The PersistentVolumeClaim of a deployment's pods, if there is one. */
export function volumeClaims({ kind }: DrawnStorage, app: string, namespace: string): readonly object[] {
  const metadata = { name: `${app}-data`, namespace };
  switch (kind) {
    case 'free':
    case 'limited':
    case 'immediate':
      return [{ metadata, spec: { storageClassName: kind } }];
    case 'bound':
      return [
        {
          metadata: { ...metadata, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
          spec: { storageClassName: 'free', volumeName: `${namespace}-${app}` },
          status: { phase: 'Bound' },
        },
      ];
    case 'missing':
    case 'ephemeral':
      return [];
  }
}

export function persistentVolumes({ kind, zone }: DrawnStorage, app: string, namespace: string): readonly object[] {
  const inZone = { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] };
  return kind !== 'bound'
    ? []
    : [
        {
          metadata: { name: `${namespace}-${app}` },
          spec: {
            csi: { driver: EBS_DRIVER, volumeHandle: `vol-${namespace}-${app}` },
            nodeAffinity: { required: { nodeSelectorTerms: [inZone] } },
          },
        },
      ];
}

export const EBS_DRIVER = 'ebs.csi.aws.com';

export const STORAGE_CLASSES: readonly object[] = [
  { metadata: { name: 'free' }, provisioner: EBS_DRIVER, volumeBindingMode: 'WaitForFirstConsumer' },
  { metadata: { name: 'immediate' }, provisioner: EBS_DRIVER, volumeBindingMode: 'Immediate' },
  {
    metadata: { name: 'limited' },
    provisioner: EBS_DRIVER,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [
      { matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: [ZONES[0]] }] },
      { matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: [ZONES[2]] }] },
    ],
  },
];
