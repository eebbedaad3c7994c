/** The functions that an expression may call. Their run time is bounded by the length of the expression. The evaluator has more functions. */
const CALLED = new Set('min max int uint double string bool size startsWith endsWith contains matches'.split(' '));
/** The evaluator's patterns backtrack: three unbounded repetitions over the name of a type take some thousand steps. */
const MAX_REPETITIONS = 3;
/** The only text that a pattern may be applied to. */
const NAME = 'instance_type';

/**
 * Returns why the run time of an expression is not bounded: nested loops, text that doubles, or patterns that backtrack. One
 * NodeClass must not delay all others (promise 7). *Shape:* undefined where the run time is bounded. *Cost:* O(nodes).
 */
export function whyTooCostly(node: unknown): string | undefined {
  if (isList(node)) return firstOf(node);
  if (!isNode(node)) return undefined;
  const { op, args } = node;
  if (!isList(args)) return whyTooCostly(args);
  const [name] = args;
  if (op === 'call' || op === 'rcall') {
    if (!CALLED.has(String(name))) return `it calls ${String(name)}, but may call only ${[...CALLED].join(', ')}`;
    if (name === 'matches') return whyTooCostlyPattern(args);
  }
  return firstOf(args);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function firstOf(nodes: readonly unknown[]): string | undefined {
  for (const node of nodes) {
    const why = whyTooCostly(node);
    if (why !== undefined) return why;
  }
  return undefined;
}

interface ExpressionNode {
  readonly op: string;
  readonly args: unknown;
}

function isNode(value: unknown): value is ExpressionNode {
  return (
    typeof value === 'object' && value !== null && 'op' in value && typeof value.op === 'string' && 'args' in value
  );
}

/** `instance_type.matches("^m5")`. */
function whyTooCostlyPattern(call: readonly unknown[]): string | undefined {
  const [text, pattern] = call.slice(1).flat();
  if (!isNode(text) || text.op !== 'id' || text.args !== NAME) return `matches may be called only on ${NAME}`;
  if (!isNode(pattern) || pattern.op !== 'value' || typeof pattern.args !== 'string')
    return 'the pattern of matches must be a literal';
  const repetitions = pattern.args.match(/[*+{]/g)?.length ?? 0;
  if (/\)[*+?{]/.test(pattern.args)) return `the pattern ${pattern.args} repeats a group; repeat single characters`;
  if (repetitions <= MAX_REPETITIONS) return undefined;
  return `the pattern ${pattern.args} has ${repetitions} repetitions, but at most ${MAX_REPETITIONS} are allowed`;
}
