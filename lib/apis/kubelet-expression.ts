import { Environment } from '@marcbachmann/cel-js';
import { whyTooCostly } from './formats/expression-cost.ts';

/**
 * A3.17: the variables of a CEL expression that sets a kubelet option for each instance type.
 */
export interface ExpressionVariables {
  readonly vcpus: number;
  readonly memory_mib: number;
  /** The number of network interfaces on the default card, and the addresses of each. */
  readonly default_enis: number;
  readonly ips_per_eni: number;
  /** In maxPods, the default of the type; in reservations, the effective value. */
  readonly max_pods: number;
  readonly instance_type: string;
}

const VARIABLES: readonly (keyof ExpressionVariables)[] = [
  'vcpus',
  'memory_mib',
  'default_enis',
  'ips_per_eni',
  'max_pods',
  'instance_type',
];

type Evaluation =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'failed'; readonly message: string };

type KubeletExpression =
  | { readonly kind: 'expression'; readonly evaluate: (variables: ExpressionVariables) => Evaluation }
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Compiles an expression once for all types. *Shape:* `evaluate` returns a whole number of zero or more, truncated.
 * *Errors:* returned values: `invalid` where the text is not CEL, uses an unknown name, has an unbounded run time, or does not
 * return a number; `failed` where it returns no valid number for this type.
 */
export function compileKubeletExpression(text: string): KubeletExpression {
  if (text.length > LONGEST)
    return { kind: 'invalid', message: `it has ${text.length} characters, but at most ${LONGEST} are allowed` };
  try {
    const parsed = ENVIRONMENT.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) return { kind: 'invalid', message: firstLine(error) };
    if (type !== 'int' && type !== 'double')
      return { kind: 'invalid', message: `it returns ${String(type)}, not a number` };
    const costly = whyTooCostly(parsed.ast);
    if (costly !== undefined) return { kind: 'invalid', message: costly };
    return { kind: 'expression', evaluate: (variables) => evaluated(parsed, variables) };
  } catch (error) {
    return { kind: 'invalid', message: firstLine(error) };
  }
}

const LONGEST = 1_000;

function evaluated(parsed: ReturnType<Environment['parse']>, variables: ExpressionVariables): Evaluation {
  try {
    const result: unknown = parsed(asContext(variables));
    const value = typeof result === 'bigint' || typeof result === 'number' ? Math.trunc(Number(result)) : Number.NaN;
    if (value >= 0 && Number.isSafeInteger(value)) return { kind: 'value', value };
    return { kind: 'failed', message: `it returns ${String(result)}` };
  } catch (error) {
    return { kind: 'failed', message: firstLine(error) };
  }
}

/** CEL distinguishes integers from doubles, and the evaluator treats only a bigint as an integer. */
function asContext(variables: ExpressionVariables): Record<keyof ExpressionVariables, bigint | string> {
  return {
    vcpus: BigInt(variables.vcpus),
    memory_mib: BigInt(variables.memory_mib),
    default_enis: BigInt(variables.default_enis),
    ips_per_eni: BigInt(variables.ips_per_eni),
    max_pods: BigInt(variables.max_pods),
    instance_type: variables.instance_type,
  };
}

/** The evaluator appends an excerpt of the expression to its message. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

const ENVIRONMENT = environment();

function environment(): Environment {
  const made = new Environment({ limits: { maxAstNodes: 500, maxDepth: 50 } });
  for (const name of VARIABLES) made.registerVariable(name, name === 'instance_type' ? 'string' : 'int');
  const numbers = ['int', 'double'] as const;
  for (const a of numbers) {
    for (const b of numbers) {
      const result = a === 'int' && b === 'int' ? 'int' : 'double';
      const converted = result === 'int' ? (value: bigint | number) => value : Number;
      made.registerFunction(`min(${a}, ${b}): ${result}`, (x: bigint | number, y: bigint | number) =>
        converted(x < y ? x : y),
      );
      made.registerFunction(`max(${a}, ${b}): ${result}`, (x: bigint | number, y: bigint | number) =>
        converted(x > y ? x : y),
      );
    }
  }
  return made;
}
