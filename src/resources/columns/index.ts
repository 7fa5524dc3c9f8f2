// What other folders may use: how tables show the objects of every built-in kind.
export { columnsFor } from './columns-by-kind.ts';
export { type RowRules, rowRulesFor } from './row-rules.ts';
export { ageSince, humanDuration } from './age.ts';
