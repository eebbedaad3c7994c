import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { FieldProblem } from '../validation/field-problem.ts';

type Spec = EC2NodeClass['spec'];

/** Names and ids of AWS in a form that the field does not take. */
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

/** IAM's paths are no part of the name. */
function bareName(field: 'role' | 'instanceProfile', text: string | undefined): readonly FieldProblem[] {
  // A placeholder may hold a slash, and has a warning of its own.
  if (text === undefined || !/^[\w+=,.@:/-]+$/.test(text) || !/^arn:|\//.test(text)) return [];
  const form = text.startsWith('arn:') ? 'an ARN' : 'a name with its path';
  const name = text.slice(text.lastIndexOf('/') + 1);
  const message = `is ${form} (${text}), where IAM takes the name alone`;
  return [{ path: ['spec', field], message, allowed: name === '' || name.includes(':') ? 'the name alone' : name }];
}

/** The CRD looks for an id anywhere in the text; EC2 finds nothing if there is more. */
function idAdvice(field: string, terms: readonly { readonly id?: string }[], prefix: string): readonly FieldProblem[] {
  const whole = new RegExp(`^${prefix}-[0-9a-z]+$`);
  return terms.flatMap(({ id }, index) => {
    if (id === undefined || whole.test(id)) return [];
    const ids = id.match(new RegExp(`${prefix}-[0-9a-z]+`, 'g')) ?? [];
    const allowed =
      ids.length > 1 ? `a term for each: ${ids.map((one) => `{id: ${one}}`).join(', ')}` : (ids[0] ?? `${prefix}-…`);
    const message = `${JSON.stringify(id)} is ${ids.length > 1 ? `${ids.length} ids` : 'more than an id'}, and AWS has nothing by it`;
    return [{ path: ['spec', field, index, 'id'], message, allowed }];
  });
}

/** EC2's limit, of which the node's own tags are a part. */
const MOST_TAGS = 50;

function tagAdvice(tags: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const names = Object.keys(tags);
  const reserved = names
    .filter((name) => /^aws:/i.test(name))
    .map((name) => ({
      path: ['spec', 'tags', name],
      message: `${name} begins with aws:, which AWS keeps for itself, and EC2 refuses it`,
      allowed: 'a name with another prefix',
    }));
  if (names.length <= MOST_TAGS) return reserved;
  const message = `has ${names.length} tags, and EC2 takes ${MOST_TAGS}, with those that each node gets besides`;
  return [...reserved, { path: ['spec', 'tags'], message, allowed: `some fewer than ${MOST_TAGS}` }];
}
