import { recordAt } from './json.ts';

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-3',
  'AWS::AccountId': '123456789012',
  'AWS::StackId': 'arn:aws:cloudformation:eu-west-3:123456789012:stack/Kerf/1b2c',
  'AWS::URLSuffix': 'amazonaws.com',
};

/**
 * A value of a template as CloudFormation resolves it. *Shape:* a reference to a resource becomes its logical id, and an ARN
 * becomes `arn:ID`, or the ARN of a role with its logical id as the name.
 */
export function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const fields = recordAt(value);
  const { Ref: reference, 'Fn::Join': joined, 'Fn::GetAtt': attribute } = fields;
  if (Array.isArray(joined)) return [joined[1]].flat().map(resolved).join(String(joined[0]));
  if (typeof reference === 'string') return PSEUDO[reference] ?? reference;
  if (Array.isArray(attribute)) return attributeOf(String(attribute[0]), String(attribute[1]));
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, resolved(field)]));
}

function attributeOf(id: string, name: string): string {
  if (name !== 'Arn') return `${id}.${name}`;
  return /Role[0-9A-F]{8}$/.test(id) ? `arn:aws:iam::123456789012:role/${id}` : `arn:${id}`;
}
