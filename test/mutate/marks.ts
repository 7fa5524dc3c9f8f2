import { childrenOf, parse, type SyntaxNode } from './syntax-tree.ts';

/** A place whose execution is recorded: a statement in a block, or the expression that an arrow function returns. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly isExpression: boolean;
}

/** The marks of a file, in the order of the syntax tree: an outer one stands before those within. */
export function marksOf(source: string): Mark[] {
  const marks: Mark[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type.startsWith('TSInterface') || node.type === 'TSTypeAliasDeclaration') return;
    for (const { start, end } of statementsOf(node)) marks.push({ start, end, isExpression: false });
    const body = node['body'] as SyntaxNode | undefined;
    if (node.type === 'ArrowFunctionExpression' && body !== undefined && body.type !== 'BlockStatement') {
      marks.push({ start: body.start, end: body.end, isExpression: true });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parse(source));
  return marks;
}

function statementsOf(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'BlockStatement' || node.type === 'StaticBlock') return node['body'] as SyntaxNode[];
  return node.type === 'SwitchCase' ? (node['consequent'] as SyntaxNode[]) : [];
}

/** The number of the innermost mark around an offset; none for what runs as the module is loaded. */
export function markAt(marks: readonly Mark[], offset: number): number | undefined {
  let found: number | undefined;
  for (const [number, { start, end }] of marks.entries()) {
    const innermost = found === undefined ? Infinity : (marks[found]?.end ?? 0) - (marks[found]?.start ?? 0);
    if (start <= offset && offset < end && end - start <= innermost) found = number;
  }
  return found;
}

/** The source with a note of each mark that is executed, in `globalThis.executedMarks`, a byte a mark. */
export function withMarksNoted(source: string, file: string): string {
  const marks = marksOf(source);
  if (marks.length === 0) return source;
  const insertions = marks.flatMap(({ start, end, isExpression }, number) =>
    isExpression
      ? [
          { at: start, order: number, text: `(__marks[${number}]=1,` },
          { at: end, order: -number, text: ')' },
        ]
      : [{ at: start, order: number, text: `__marks[${number}]=1;` }],
  );
  insertions.sort((left, right) => left.at - right.at || left.order - right.order);
  let made = `const __marks=((globalThis.executedMarks??={})[${JSON.stringify(file)}]??=new Uint8Array(${marks.length}));`;
  let from = 0;
  for (const { at, text } of insertions) {
    made += source.slice(from, at) + text;
    from = at;
  }
  return made + source.slice(from);
}
