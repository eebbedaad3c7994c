import type { MetadataOptions } from '../../lib/apis/ec2-node-class.ts';

/** A3.23: what the API server fills in. */
export const METADATA_DEFAULTS: MetadataOptions = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
};
