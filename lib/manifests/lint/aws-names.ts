import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';

type Spec = EC2NodeClass['spec'];

/** Warns of AWS names and ids in a form that the field does not accept. */
export function awsNameAdvice(spec: Spec): readonly FieldProblem[] {
  return [
    ...bareName('role', spec.role),
    ...bareName('instanceProfile', spec.instanceProfile),
    ...idAdvice('subnetSelectorTerms', spec.subnetSelectorTerms, 'subnet'),
    ...idAdvice('securityGroupSelectorTerms', spec.securityGroupSelectorTerms, 'sg'),
    ...idAdvice('amiSelectorTerms', spec.amiSelectorTerms, 'ami'),
    ...tagAdvice(spec.tags ?? {}),
  ];
}

/** The path of an IAM role or instance profile is not part of its name. */
function bareName(field: 'role' | 'instanceProfile', text: string | undefined): readonly FieldProblem[] {
  // A placeholder may contain a slash, and has its own warning.
  if (text === undefined || !/^[\w+=,.@:/-]+$/.test(text) || !/^arn:|\//.test(text)) return [];
  const form = text.startsWith('arn:') ? 'an ARN' : 'a name with its path';
  const name = text.slice(text.lastIndexOf('/') + 1);
  const message = `is ${form} (${text}), but IAM accepts only the name`;
  return [{ path: ['spec', field], message, allowed: name === '' || name.includes(':') ? 'only the name' : name }];
}

/** The CRD accepts an id anywhere in the text, but EC2 finds nothing if the text contains more. */
function idAdvice(field: string, terms: readonly { readonly id?: string }[], prefix: string): readonly FieldProblem[] {
  const whole = new RegExp(`^${prefix}-[0-9a-z]+$`);
  return terms.flatMap(({ id }, index) => {
    if (id === undefined || whole.test(id)) return [];
    const ids = id.match(new RegExp(`${prefix}-[0-9a-z]+`, 'g')) ?? [];
    const allowed =
      ids.length > 1 ? `a term for each: ${ids.map((one) => `{id: ${one}}`).join(', ')}` : (ids[0] ?? `${prefix}-…`);
    const message = `${JSON.stringify(id)} is ${ids.length > 1 ? `${ids.length} ids` : 'more than an id'}, so AWS finds nothing`;
    return [{ path: ['spec', field, index, 'id'], message, allowed }];
  });
}

/** EC2's limit, which includes the tags that Kerf sets. */
const MAX_TAGS = 50;

function tagAdvice(tags: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const names = Object.keys(tags);
  const reserved = names
    .filter((name) => /^aws:/i.test(name))
    .map((name) => ({
      path: ['spec', 'tags', name],
      message: `${name} begins with aws:, which is reserved, so EC2 rejects it`,
      allowed: 'a name with another prefix',
    }));
  if (names.length <= MAX_TAGS) return reserved;
  const message = `has ${names.length} tags, but EC2 allows ${MAX_TAGS}, including those that Kerf sets on each node`;
  return [...reserved, { path: ['spec', 'tags'], message, allowed: `fewer than ${MAX_TAGS} tags` }];
}
