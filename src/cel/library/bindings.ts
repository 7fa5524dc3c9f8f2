import { type Expr, type Macro, MacroError, NodeMaker } from '../syntax/index.ts';
import type { Library } from './library.ts';

/** `cel.bind(name, value, expression)`. */
export function bindingsLibrary(): Library {
  return { macros: [bind()] };
}

function bind(): Macro {
  return {
    name: 'bind',
    isMember: true,
    argumentCount: 3,
    expand({ offset, target, args }) {
      if (target?.kind !== 'ident' || target.name !== 'cel') return undefined;
      const [variable, initial, result] = args as readonly [Expr, Expr, Expr];
      if (variable.kind !== 'ident')
        throw new MacroError(variable, 'cel.bind() variable names must be simple identifiers');
      return new NodeMaker(offset).bind(variable.name, initial, result);
    },
  };
}
