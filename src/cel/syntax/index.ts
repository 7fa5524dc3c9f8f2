export * from './expr.ts';
export { type Issue, Issues } from './issues.ts';
export * from './macro.ts';
export { Operator } from './operators.ts';
export type { Syntax } from './parse-context.ts';
export { parse, type Parsed } from './parser.ts';
export { type Location, NO_LOCATION, Source } from './source.ts';
export * from './standard-macros.ts';
