import type { EC2NodeClass, MetadataOptions } from '../../apis/ec2-node-class.ts';

/** A3.23: the defaults of the API server. @internal */
export const METADATA_DEFAULTS: MetadataOptions = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
};

/** AL2023 with the default kubelet configuration, for describing instance types without a NodeClass. */
export const PLAIN_NODE_CLASS: EC2NodeClass = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [],
    securityGroupSelectorTerms: [],
    metadataOptions: METADATA_DEFAULTS,
  },
};
