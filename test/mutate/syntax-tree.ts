import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree, as far as it matters here. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function parse(source: string): SyntaxNode {
  return parseAst(source, { lang: 'ts' }) as unknown as SyntaxNode;
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flatMap((member) =>
    Array.isArray(member) ? member.filter(isNode) : isNode(member) ? [member] : [],
  );
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
