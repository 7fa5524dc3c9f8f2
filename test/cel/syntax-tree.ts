import { formatShortest } from '../../src/cel/index.ts';
import type { ComprehensionExpr, Expr, LiteralValue } from '../../src/cel/syntax/index.ts';

/** A syntax tree in the form in which cel-go prints it, without line breaks, and with texts and bytes in hexadecimal. */
export function printTree(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return printLiteral(expr.literal);
    case 'ident':
      return expr.name;
    case 'select':
      return `${printTree(expr.operand)}.${expr.field}${expr.isTest ? '~test-only~' : ''}`;
    case 'call': {
      const target = expr.target === undefined ? '' : `${printTree(expr.target)}.`;
      return `${target}${expr.name}(${expr.args.map(printTree).join(',')})`;
    }
    case 'list': {
      const elements = expr.elements.map((each, at) => (expr.optionals.has(at) ? '?' : '') + printTree(each));
      return `[${elements.join(',')}]`;
    }
    case 'map': {
      const entries = expr.entries.map(
        ({ key, value, isOptional }) => `${isOptional ? '?' : ''}${printTree(key)}:${printTree(value)}`,
      );
      return `{${entries.join(',')}}`;
    }
    case 'struct': {
      const fields = expr.fields.map(
        ({ name, value, isOptional }) => `${isOptional ? '?' : ''}${name}:${printTree(value)}`,
      );
      return `${expr.typeName}{${fields.join(',')}}`;
    }
    case 'comprehension':
      return printLoop(expr);
  }
}

function printLoop(loop: ComprehensionExpr): string {
  const parts = [
    loop.variable,
    printTree(loop.range),
    loop.accumulator,
    ...[loop.initial, loop.condition, loop.step, loop.result].map(printTree),
  ];
  return `__comprehension__(${parts.join(',')})`;
}

function printLiteral(literal: LiteralValue): string {
  switch (literal.kind) {
    case 'null':
      return 'null';
    case 'uint':
      return `${literal.value}u`;
    case 'double':
      return formatShortest(literal.value);
    case 'string':
      return `"${Buffer.from(literal.value).toString('hex')}"`;
    case 'bytes':
      return `b"${Buffer.from(literal.value).toString('hex')}"`;
    default:
      return String(literal.value);
  }
}

/** What cel-go printed, made alike. */
export function normalizeTree(printed: string): string {
  return printed
    .replaceAll(/\^#\*expr\.\w+#/g, '')
    .replaceAll(/\n\s*(?:\/\/ \w+\n\s*)?/g, '')
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `"${unquote(text).toString('hex')}"`);
}

const LETTERS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The bytes of a text in Go's quotes. */
function unquote(text: string): Buffer {
  const pieces = text.match(/\\x..|\\u.{4}|\\U.{8}|\\.|[^\\]+/gs) ?? [];
  return Buffer.concat(
    pieces.map((piece) => {
      if (!piece.startsWith('\\')) return Buffer.from(piece);
      const code = Number.parseInt(piece.slice(2), 16);
      if (piece[1] === 'x') return Buffer.from([code]);
      if (piece[1] === 'u' || piece[1] === 'U') return Buffer.from(String.fromCodePoint(code));
      return Buffer.from(LETTERS[piece[1] ?? ''] ?? piece.slice(1));
    }),
  );
}
