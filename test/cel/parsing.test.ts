import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import { describe, expect, it } from 'vitest';
import { MacroTable, parse, Source, standardMacros } from '../../src/cel/syntax/index.ts';
import { normalizeTree, printTree } from './syntax-tree.ts';

type Suite = typeof conformance;

/** What cel-go makes of an expression: a tree, or else an error. */
interface Parsing {
  readonly expr: string;
  readonly ast?: string;
  readonly error?: string;
}

function parsingsOf({ suites = [], tests = [] }: Suite): Parsing[] {
  return [
    ...tests.map(({ original, ast, error }) => ({ expr: original.expr, ast, error })),
    ...suites.flatMap((suite) => parsingsOf(suite)),
  ];
}

describe.each([parsing, checking, conformance])('the expressions of the suite $name', (suite) => {
  const syntax = { macros: new MacroTable(standardMacros()), hasOptionals: false }; // as when the suite was recorded
  // Kubernetes has no quoted names, and no `existsOne` with one variable.
  const cases = parsingsOf(suite).filter(({ expr }) => !/`|\.existsOne\(\w+, \w+\)/.test(expr));

  it('become the trees that cel-go makes of them', () => {
    const trees = cases.filter(({ ast }) => ast !== undefined);
    const differences = trees.flatMap(({ expr, ast = '' }) => {
      const parsed = parse(new Source(expr), syntax);
      const ours = parsed.ok ? printTree(parsed.expr) : parsed.issues.toString();
      return ours === normalizeTree(ast) ? [] : [{ expr, ours, theirs: normalizeTree(ast) }];
    });
    expect(trees.length).toBeGreaterThan(100);
    expect(differences).toEqual([]);
  });

  it('are refused with the messages of cel-go', () => {
    // The suite was recorded with tighter limits than Kubernetes has.
    const refused = cases.filter(
      ({ ast, error = '' }) => ast === undefined && !/limit exceeded|max recursion/.test(error),
    );
    const differences = refused.flatMap(({ expr, error }) => {
      const parsed = parse(new Source(expr), syntax);
      const ours = parsed.ok ? printTree(parsed.expr) : parsed.issues.toString();
      return ours === error?.replaceAll(/^ERROR: .*?(?=:-?\d+:\d+: )/gm, 'ERROR: <input>')
        ? []
        : [{ expr, ours, theirs: error }];
    });
    expect(differences).toEqual([]);
  });
});
