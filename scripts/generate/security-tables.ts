/** Who may do what, from the synthesized stack and the RBAC objects, as Markdown. */
import { compareText } from '../../lib/core/compare-text.ts';
import { type ClusterRole, rbacObjects } from '../../lib/core/install/rbac.ts';
import { propertiesOf, templateOf } from '../../test/stack/assembly.ts';
import { textsOf } from '../../test/stack/iam/evaluate.ts';
import { at, listAt, recordAt } from '../../test/stack/json.ts';
import { resolved } from '../../test/stack/resolve.ts';

export interface RoleStatement {
  /** The function, as in `functions/`. */
  readonly role: string;
  readonly effect: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: Readonly<Record<string, unknown>>;
}

const CLUSTER = 'CLUSTER';
const NETWORK = { vpcId: 'vpc-11111111', subnetIds: ['subnet-aaaaaaaa'], securityGroupIds: ['sg-11111111'] };

/** The statements of every role of the functions, for one cluster. @param inNetwork whether the functions run in a VPC. */
export function roleStatements(inNetwork = false): readonly RoleStatement[] {
  const template = templateOf([{ name: CLUSTER, zonalShift: true, ...(inNetwork && { network: NETWORK }) }]);
  const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) => propertiesOf(template, type));
  const statements = policies.flatMap((policy) => {
    const roles = listAt(policy, 'Roles').map((role) => functionOf(String(resolved(role))));
    return roles.flatMap((role) =>
      listAt(policy, 'PolicyDocument', 'Statement').map((statement) => statementOf(role, resolved(statement))),
    );
  });
  return statements.toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
}

/** Both tables of docs/security.md. */
export function securityTables(): string {
  const statements = roleStatements();
  const network = roleStatements(true).filter((one) => !statements.some((other) => keyOf(other) === keyOf(one)));
  const shared = network
    .filter(({ role }) => role === 'provisioning')
    .map((one) => rowOf({ ...one, role: 'in a VPC' }));
  return [
    '| role of | may | on | if |',
    '|---|---|---|---|',
    ...statements.map(rowOf),
    ...shared,
    '',
    '| group | may | on | in |',
    '|---|---|---|---|',
    ...rbacObjects().flatMap((object) => (object.kind === 'ClusterRole' ? rulesOf(object) : [])),
  ].join('\n');
}

function statementOf(role: string, statement: unknown): RoleStatement {
  return {
    role,
    effect: String(at(statement, 'Effect')),
    actions: textsOf(at(statement, 'Action')).toSorted(),
    resources: textsOf(at(statement, 'Resource')).map(readable),
    conditions: recordAt(statement, 'Condition'),
  };
}

function keyOf({ role, actions, resources, conditions, effect }: RoleStatement): string {
  return [role, effect, actions.join(), resources.join(), JSON.stringify(conditions)].join(' ');
}

function functionOf(logicalId: string): string {
  const name = /(?:^|[a-z0-9])([A-Z][a-z]+)Role[0-9A-F]{8}$/.exec(logicalId)?.[1] ?? logicalId;
  return name.toLowerCase();
}

/** Without the hashes of logical ids and the example values of references. */
function readable(text: string): string {
  return text
    .replaceAll('123456789012', 'ACCOUNT')
    .replaceAll('eu-west-3', 'REGION')
    .replaceAll('arn:aws:', 'arn:PARTITION:')
    .replaceAll(/\b(?:Networkvpc1[a-z0-9]+)?([A-Z][A-Za-z]+?)[0-9A-F]{8}\b/g, '$1')
    .replace(/stack\/Kerf\/1b2c/, 'stack/Kerf/ID');
}

function rowOf({ role, effect, actions, resources, conditions }: RoleStatement): string {
  const may = `${effect === 'Deny' ? 'never: ' : ''}${actions.map(code).join(', ')}`;
  return `| ${role} | ${may} | ${resources.map(code).join(', ')} | ${conditionText(conditions)} |`;
}

function conditionText(conditions: RoleStatement['conditions']): string {
  return Object.entries(conditions)
    .flatMap(([operator, keys]) =>
      Object.entries(recordAt(keys)).map(
        ([key, values]) => `${operator} ${code(key)}: ${textsOf(values).map(readable).map(code).join(', ')}`,
      ),
    )
    .join('; ');
}

function rulesOf({ metadata, rules }: ClusterRole): readonly string[] {
  return rules.map(({ apiGroups, resources, verbs, resourceNames = [] }) => {
    const named = resourceNames.length > 0 ? ` named ${resourceNames.map(code).join(', ')}` : '';
    const groups = apiGroups.map((group) => code(group === '' ? 'core' : group)).join(', ');
    return `| ${metadata.name.replace('kerf-', 'kerf:')} | ${verbs.join(', ')} | ${resources.map(code).join(', ')}${named} | ${groups} |`;
  });
}

function code(text: string): string {
  return `\`${text}\``;
}
