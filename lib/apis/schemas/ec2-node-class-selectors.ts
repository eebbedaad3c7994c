import {
  atomicListOf,
  closed,
  described,
  enumSchema,
  patternSchema,
  type Rule,
  type Schema,
  STRING,
  TEXT,
  withRules,
} from './schema.ts';

/** Selector terms of an EC2NodeClass. An AWS resource is selected if it matches any term of the list. */

function tagsOf(what: string): Schema {
  return described(`The tags that the ${what} must have, all of them. The value * matches any value.`, {
    ...withRules(
      { type: 'object', additionalProperties: TEXT },
      { rule: "x != ''", message: 'has an empty key', allowed: 'the key of a tag', each: true },
    ),
    maxProperties: 20,
  });
}

function anyOf(...fields: readonly string[]): Rule {
  return {
    rule: fields.map((field) => `has(self.${field})`).join(' || '),
    message: 'selects nothing',
    allowed: `one of ${fields.join(', ')}`,
  };
}

/** A3.2, A3.3, A3.8: the server rejects the combination only if every term of the list has it. */
function notInEveryTerm(field: string, others: readonly string[]): Rule {
  return {
    rule: `size(self) == 0 || self.exists(x, !(has(x.${field}) && (${anyTerm(others)})))`,
    message: `has ${field} together with ${others.join(' or ')} in every term`,
    allowed: `only ${field} in its term`,
  };
}

function anyTerm(fields: readonly string[], term = 'x'): string {
  return fields.map((field) => `has(${term}.${field})`).join(' || ');
}

/** A3.4: the server rejects the list if any term has this combination. */
function aloneInTerm(field: string, others: readonly string[]): Rule {
  return {
    rule: `!has(self.${field}) || !(${anyTerm(others, 'self')})`,
    message: `cannot be set together with ${others.slice(0, -1).join(', ')} or ${others.at(-1) ?? ''}`,
    allowed: `only ${field} in its term`,
    fieldPath: `.${field}`,
    slip: 'not-alone',
  };
}

/** A3.2 */
export const SUBNETS: Schema = described(
  'The subnets for instances: all that match any of the terms.',
  withRules(
    atomicListOf(
      {
        title: 'SubnetSelectorTerm',
        ...withRules(
          closed({
            tags: tagsOf('subnet'),
            id: described(
              'The id of one subnet.',
              patternSchema('subnet-[0-9a-z]+', 'a subnet id such as subnet-0123456789abcdef0'),
            ),
          }),
          anyOf('tags', 'id'),
        ),
      },
      { minItems: 1, maxItems: 30 },
    ),
    notInEveryTerm('id', ['tags']),
  ),
);

/** A3.3 */
export const SECURITY_GROUPS: Schema = described(
  'The security groups of instances: all that match any of the terms.',
  withRules(
    atomicListOf(
      {
        title: 'SecurityGroupSelectorTerm',
        ...withRules(
          closed({
            tags: tagsOf('security group'),
            id: described(
              'The id of one security group.',
              patternSchema('sg-[0-9a-z]+', 'a security group id such as sg-0123456789abcdef0'),
            ),
            name: described('The name of the security group, which differs from its tag Name.', STRING),
          }),
          anyOf('tags', 'id', 'name'),
        ),
      },
      { minItems: 1, maxItems: 30 },
    ),
    notInEveryTerm('id', ['tags', 'name']),
    notInEveryTerm('name', ['tags', 'id']),
  ),
);

/** A3.5: the version of a Windows family may be followed by more text, because the server checks only the first part. */
const ALIAS: Schema = {
  ...described(
    'An AMI that AWS publishes for EKS, as family@version, such as al2023@latest or a fixed release. With latest, nodes are replaced after each new release.',
    patternSchema(
      '^((al2|al2023|bottlerocket)@[^\\n]+|windows20(19|22|25)@latest(@[^\\n]*)?)$',
      'family@version: al2, al2023 or bottlerocket with a version or latest (al2023@latest), or windows2019, windows2022 or windows2025 with @latest',
    ),
  ),
  maxLength: 30,
};

/** A3.4, A3.5 */
export const AMIS: Schema = described(
  'The AMIs for instances: all that match any of the terms. The newest compatible AMI is used.',
  withRules(
    atomicListOf(
      {
        title: 'AmiSelectorTerm',
        ...withRules(
          closed({
            alias: ALIAS,
            tags: tagsOf('AMI'),
            id: described(
              'The id of one AMI.',
              patternSchema('ami-[0-9a-z]+', 'an AMI id such as ami-0123456789abcdef0'),
            ),
            name: described(
              'The name of the AMI, which differs from its tag Name. The wildcards * and ? are supported.',
              STRING,
            ),
            owner: described(
              'The owner of the AMI: an account id, self, amazon or aws-marketplace. Default: self and amazon.',
              STRING,
            ),
            ssmParameter: described('The name or ARN of an SSM parameter that contains the id of the AMI.', STRING),
          }),
          anyOf('tags', 'id', 'name', 'alias', 'ssmParameter'),
          aloneInTerm('id', ['alias', 'tags', 'name', 'owner']),
          aloneInTerm('alias', ['id', 'tags', 'name', 'owner']),
        ),
      },
      { minItems: 1, maxItems: 30 },
    ),
    {
      rule: 'self.size() == 1 || !has(x.alias)',
      message: 'has an alias and is one of several terms',
      allowed: 'an alias as the only term, or terms without an alias',
      each: true,
    },
  ),
);

export const OWNER_ID: Schema = patternSchema('^[0-9]{12}$', 'an AWS account id of 12 digits, in quotes');
export const CAPACITY_RESERVATION_ID: Schema = patternSchema(
  '^cr-[0-9a-z]+$',
  'a capacity reservation id such as cr-0123456789abcdef0',
);
export const MATCH_CRITERIA: Schema = enumSchema('open', 'targeted');

/** A3.8 */
export const CAPACITY_RESERVATIONS: Schema = described(
  'The capacity reservations for instances: all that match any of the terms. Default: none.',
  withRules(
    atomicListOf(
      {
        title: 'CapacityReservationSelectorTerm',
        ...withRules(
          closed({
            tags: tagsOf('capacity reservation'),
            id: described('The id of one capacity reservation.', CAPACITY_RESERVATION_ID),
            ownerID: described('The account that owns the reservation. Default: any account.', OWNER_ID),
            instanceMatchCriteria: described(
              'Which launches can use the reservation: open for all that match it, targeted for those that specify it.',
              MATCH_CRITERIA,
            ),
          }),
          anyOf('tags', 'id', 'instanceMatchCriteria'),
        ),
      },
      { minItems: 1, maxItems: 30 },
    ),
    notInEveryTerm('id', ['tags', 'ownerID', 'instanceMatchCriteria']),
  ),
);

/** A3.9 */
export const PLACEMENT_GROUP: Schema = {
  title: 'PlacementGroupSelector',
  ...described(
    'The placement group of instances, by id or name. Default: none.',
    withRules(
      closed({
        id: described(
          'The id of the placement group.',
          patternSchema('^pg-[0-9a-z]+$', 'a placement group id such as pg-0123456789abcdef0'),
        ),
        name: described('The name of the placement group.', TEXT),
      }),
      anyOf('name', 'id'),
      {
        rule: '!has(self.name) || !has(self.id)',
        message: 'has both name and id',
        allowed: 'one of name and id',
      },
    ),
  ),
};
