/** What is used in a region without figures of its own. */
export interface NearestRegion {
  /** The nearest region with prices, of the four that have the most instance types. */
  readonly prices: string;
  /** For a region without a table of offerings: the nearest region with one, and the ids of the zones a, b and c without `-az1`. */
  readonly offerings?: { readonly region: string; readonly zoneIds: string };
}

/** The commercial regions of AWS without bundled prices. Distances are on the globe. */
export const NEAREST_REGIONS: Readonly<Record<string, NearestRegion>> = {
  'af-south-1': { prices: 'eu-central-1' },
  'ap-east-1': { prices: 'eu-central-1' },
  'ap-east-2': { prices: 'eu-central-1', offerings: { region: 'ap-east-1', zoneIds: 'ape2' } },
  'ap-northeast-1': { prices: 'us-west-2' },
  'ap-northeast-2': { prices: 'us-west-2' },
  'ap-northeast-3': { prices: 'us-west-2' },
  'ap-south-1': { prices: 'eu-central-1' },
  'ap-south-2': { prices: 'eu-central-1' },
  'ap-southeast-1': { prices: 'eu-central-1' },
  'ap-southeast-2': { prices: 'us-west-2' },
  'ap-southeast-3': { prices: 'eu-central-1' },
  'ap-southeast-4': { prices: 'us-west-2' },
  'ap-southeast-5': { prices: 'eu-central-1' },
  'ap-southeast-6': { prices: 'us-west-2', offerings: { region: 'ap-southeast-2', zoneIds: 'apse6' } },
  'ap-southeast-7': { prices: 'eu-central-1', offerings: { region: 'ap-southeast-1', zoneIds: 'apse7' } },
  'ca-central-1': { prices: 'us-east-1' },
  'ca-west-1': { prices: 'us-west-2' },
  'il-central-1': { prices: 'eu-central-1' },
  'me-central-1': { prices: 'eu-central-1' },
  'me-south-1': { prices: 'eu-central-1' },
  'mx-central-1': { prices: 'us-east-1', offerings: { region: 'us-east-1', zoneIds: 'mxc1' } },
  'sa-east-1': { prices: 'us-east-1' },
};
