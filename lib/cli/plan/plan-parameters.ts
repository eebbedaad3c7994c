import { MANIFEST_PARAMETERS, type ManifestFlags } from '../manifest-parameters.ts';

/** The flags of every plan. */
export interface PlanFlags extends ManifestFlags {
  readonly snapshot: string;
}

export const PLAN_PARAMETERS = {
  ...MANIFEST_PARAMETERS,
  flags: {
    ...MANIFEST_PARAMETERS.flags,
    snapshot: {
      kind: 'parsed',
      brief: 'Snapshot: a JSON file, or - for standard input',
      parse: String,
      placeholder: 'FILE',
    },
  },
} as const;
