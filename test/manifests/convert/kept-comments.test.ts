import { describe, expect, test } from 'vitest';
import { convertText } from './convert-text.ts';

const TEMPLATE = `apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: a}
spec:
`;
const PROVISIONER = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: a}
spec:
`;
const POOL = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: a}
spec:
`;

/** All of these comments are kept, in the given lines. */
const KEPT: readonly (readonly [name: string, before: string, after: readonly string[]])[] = [
  [
    'behind the last tag of a selector that ends the document',
    `${TEMPLATE}  subnetSelector:
    Name: a # one
    # at its end
  # at the end of the spec
# at the end of all
`,
    ['        Name: a # one\n    # at its end\n    # at the end of the spec\n    # at the end of all\n'],
  ],
  [
    'behind selectors on one line',
    `${TEMPLATE}  subnetSelector: {a: b} # why\n  securityGroupSelector: {aws-ids: sg-1} # which\n`,
    ['  subnetSelectorTerms:\n    # why\n    - tags:', '  securityGroupSelectorTerms:\n    # which\n    - id: sg-1\n'],
  ],
  [
    'of tags that are lists, once',
    `${TEMPLATE}  subnetSelector: # all
    # names
    Name: "a,b" # both
    # teams
    team: x # ours
`,
    [
      '  subnetSelectorTerms:\n    # all\n    # names\n    - tags:\n        Name: a # both\n',
      '        # teams\n        team: x # ours\n    - tags:\n        Name: b\n        team: x\n',
    ],
  ],
  [
    'of ids, names and owners',
    `${TEMPLATE}  subnetSelector:
    # first ids
    aws-ids: subnet-1,subnet-2 # both ids
    # more ids
    aws::ids: subnet-3 # last id
  amiSelector: # ours
    # who
    aws::owners: self,amazon # we
    # what
    aws::name: n # it
`,
    [
      '    # first ids\n    - id: subnet-1 # both ids\n    - id: subnet-2\n    # more ids\n    - id: subnet-3 # last id\n',
      '    - name: n # it\n      owner: self # we\n',
    ],
  ],
  [
    'of limits on one line',
    `${PROVISIONER}  limits: {resources: {cpu: 10}} # enough\n`,
    ['  limits: {cpu: 10} # enough\n'],
  ],
  [
    'of limits and of their resources',
    `${PROVISIONER}  # above limits
  limits: # at limits
    # above resources
    resources: # at resources
      # above cpu
      cpu: 10 # at cpu
      # behind cpu
    # behind resources
  weight: 1
`,
    [
      '  # above limits\n  limits:\n    # at limits\n    # above resources\n    # at resources\n    # above cpu\n    cpu: 10 # at cpu\n    # behind cpu\n    # behind resources\n',
    ],
  ],
  [
    'of limits around resources on one line',
    `${PROVISIONER}  limits: # at limits
    # above resources
    resources: {cpu: 10} # at resources
`,
    ['  limits: {cpu: 10} # at resources\n'],
  ],
  [
    'of consolidation',
    `${PROVISIONER}  # above consolidation
  consolidation: # at consolidation
    # above enabled
    enabled: true # at enabled
    # behind enabled
`,
    ['    consolidationPolicy: WhenEmptyOrUnderutilized # at enabled\n'],
  ],
  [
    'of consolidation on one line',
    `${PROVISIONER}  # saving\n  consolidation: {enabled: true} # money\n`,
    ['    # saving\n    consolidationPolicy: WhenEmptyOrUnderutilized # money\n'],
  ],
  [
    'of consolidation that is off',
    `${PROVISIONER}  consolidation: {enabled: false} # steady\n`,
    ['    consolidateAfter: Never # steady\n'],
  ],
  [
    'of fields without a value',
    `${PROVISIONER}  ttlSecondsAfterEmpty: # no time\n  ttlSecondsUntilExpired: # no age\n  requirements: # none\n`,
    ['    consolidateAfter: Never # no time\n', '      expireAfter: Never # no age\n'],
  ],
  [
    'above and in an inline provider',
    `${PROVISIONER}  # the machines
  provider: # at provider
    # above tags
    tags: {a: b} # at tags
  weight: 1
`,
    ['---\n# the machines\napiVersion: karpenter.k8s.aws/v1\n', '  tags: {a: b} # at tags\n'],
  ],
  [
    'of a reference',
    `${PROVISIONER}  # a reference
  providerRef: # at the reference
    # its kind
    kind: AWSNodeTemplate # at the kind
    # its name
    name: b # at the name
`,
    ['        kind: EC2NodeClass # at the kind\n', '        name: b # at the name\n'],
  ],
  [
    'of a v1beta1 NodePool',
    `${POOL}  # above disruption
  disruption: # at disruption
    # above expiry
    expireAfter: 5h # at expiry
    # above policy
    consolidationPolicy: WhenUnderutilized # at policy
    # behind policy
  # above template
  template: # at template
    # above spec
    spec: # at spec
      nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, name: a} # at reference
      # behind reference
  # behind all
`,
    ['    consolidationPolicy: WhenEmptyOrUnderutilized # at policy\n', '      expireAfter: 5h # at expiry\n'],
  ],
  [
    'below removed fields',
    `${PROVISIONER}  weigth:
    a: b
    # below a typo
  # below it
  weight: 1
status:
  conditions:
    - type: Ready
    # below conditions
# the end
`,
    ['  # below a typo\n  # below it\n  weight: 1\n# below conditions\n# the end\n'],
  ],
  [
    'behind an alias',
    `${TEMPLATE}  subnetSelector: &tags {a: b} # here\n  securityGroupSelector: *tags # there\n`,
    ['  securityGroupSelectorTerms:\n    # there\n    - tags:'],
  ],
];

describe('comments are kept', () => {
  test.each(KEPT)('%s', (_, before, after) => {
    const { text } = convertText(before);
    const comments = [...before.matchAll(/# .*$/gm)].map(([comment]) => comment);
    expect(comments.length).toBeGreaterThan(0);
    expect(comments.filter((comment) => !text.includes(`${comment}\n`))).toEqual([]);
    for (const lines of after) expect(text).toContain(lines);
    // Above a comment at its end yaml may leave a line empty.
    expect(convertText(text).text.replace(/\n\n/g, '\n')).toBe(text);
  });
});
