import { childrenOf, parse, type SyntaxNode } from './syntax-tree.ts';

/** One small fault that could be planted: the text from `start` to `end` becomes `replacement`. */
export interface Mutation {
  readonly operator: Operator;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export const OPERATORS = [
  'negate condition',
  'remove guard',
  'drop statement',
  'drop property',
  'remove await',
  'swap return',
  'swap constant',
  'swap operator',
] as const;
export type Operator = (typeof OPERATORS)[number];

interface Place {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode;
  readonly text: (node: SyntaxNode) => string;
}

/** Every fault that could be planted in a file. What is only said in logs, and types, are left alone. */
export function mutationsOf(source: string): Mutation[] {
  const found: Mutation[] = [];
  const text = ({ start, end }: SyntaxNode): string => source.slice(start, end);
  const visit = (node: SyntaxNode, parent: SyntaxNode): void => {
    if (isUninteresting(node, text)) return;
    const plant = planters[node.type];
    if (plant !== undefined) {
      for (const [operator, target, replacement] of plant({ node, parent, text })) {
        found.push({ operator, start: target.start, end: target.end, replacement });
      }
    }
    for (const child of childrenOf(node)) visit(child, node);
  };
  const program = parse(source);
  visit(program, program);
  return found;
}

type Planted = readonly [Operator, SyntaxNode, string];
type Planter = (place: Place) => readonly Planted[];

const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

const planters: Readonly<Record<string, Planter>> = {
  IfStatement: (place) => [...negated(place), ...unguarded(place)],
  ConditionalExpression: (place) => negated(place),
  WhileStatement: (place) => negated(place),
  ExpressionStatement: ({ node }) =>
    isCallTo(node['expression'] as SyntaxNode, 'Super') ? [] : [['drop statement', node, ';']],
  AwaitExpression: ({ node, parent, text }) =>
    parent.type === 'ReturnStatement' ? [] : [['remove await', node, `(${text(node['argument'] as SyntaxNode)})`]],
  ReturnStatement: ({ node, text }) => {
    const value = node['argument'] as SyntaxNode | null;
    if (value === null || ['true', 'false', 'undefined', '[]', '{}'].includes(text(value))) return [];
    return [['swap return', value, 'undefined as never']];
  },
  Literal: ({ node, parent }) => {
    const { value } = node;
    if (['ImportDeclaration', 'TSLiteralType', 'Property', 'TSEnumMember'].includes(parent.type)) return [];
    if (typeof value === 'boolean') return [['swap constant', node, String(!value)]];
    if (typeof value !== 'number') return [];
    return [['swap constant', node, String(value <= 16 ? value + 1 : value * 2)]];
  },
  BinaryExpression: swappedOperator,
  LogicalExpression: swappedOperator,
  CallExpression: ({ node }) =>
    (node['arguments'] as SyntaxNode[])
      .filter(({ type }) => type === 'ObjectExpression')
      .flatMap(({ properties }) => properties as SyntaxNode[])
      .map((property): Planted => ['drop property', property, '...{}']),
};

function negated({ node, text }: Place): readonly Planted[] {
  const test = node['test'] as SyntaxNode;
  return [['negate condition', test, `!(${text(test)})`]];
}

const LEAVING = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);

function unguarded({ node }: Place): readonly Planted[] {
  const then = node['consequent'] as SyntaxNode;
  const last = then.type === 'BlockStatement' ? (then['body'] as SyntaxNode[]).at(-1) : then;
  const isGuard = node['alternate'] === null && last !== undefined && LEAVING.has(last.type);
  return isGuard ? [['remove guard', node, ';']] : [];
}

function swappedOperator({ node, text }: Place): readonly Planted[] {
  const [left, right] = [node['left'] as SyntaxNode, node['right'] as SyntaxNode];
  if (node['operator'] === '??') return [['swap operator', node, `(${text(left)})`]];
  const other = OTHER_OPERATORS[node['operator'] as string];
  if (other === undefined || [left, right].some(isText)) return [];
  return [['swap operator', node, `((${text(left)}) ${other} (${text(right)}))`]];
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string' && value === '');
}

function isCallTo(node: SyntaxNode, type: string): boolean {
  return node.type === 'CallExpression' && (node['callee'] as SyntaxNode).type === type;
}

const LOG_CALL = /(?:^|[.#])log\??\.(?:debug|info|warn|error)$/;

function isUninteresting(node: SyntaxNode, text: (node: SyntaxNode) => string): boolean {
  if (node.type.startsWith('TS') && !CHECKED_EXPRESSIONS.has(node.type)) return true;
  if (node.type === 'ImportDeclaration' || node.type === 'ThrowStatement') return true;
  const call = node.type === 'ExpressionStatement' ? (node['expression'] as SyntaxNode) : node;
  if (call.type !== 'CallExpression') return false;
  const callee = text(call['callee'] as SyntaxNode);
  return LOG_CALL.test(callee) || callee === 'unreachable';
}

/** Expressions with a type beside them. */
const CHECKED_EXPRESSIONS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);
