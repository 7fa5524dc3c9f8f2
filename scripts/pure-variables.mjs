/** A variable of a module as esbuild prints it, up to the semicolon that the next line at the margin follows. */
const VARIABLE = /^(var [\w$]+ = )([^\n]*(?:\n(?![\w$/]).*)*?);$/gm;
/** Values that bundlers take for ones with effects: calls, properties, templates, and arithmetic such as `64 * 1024`. */
const COMPUTED = /[(.`]|\w (?:[-+*/%|&]|\*\*|<<) \w/;
/** Values that bundlers know to have no effects, and that are called as their variables. */
const DECLARED = /^(?:class\b|(?:async )?function\b|(?:async )?(?:\([^\n]*\)|[\w$]+) =>)/;
/** Minified texts have no comments; a call of this stands for one. */
const MARK = 'PURE$';

/**
 * The text of a chunk whose variables are made by functions that are called at once: `var a = b(c)` becomes `var a = PURE$(() => b(c))()`.
 * `pureCalls` makes comments of the marks, once the text is minified.
 */
export function withPureVariables(text) {
  return text.replaceAll(VARIABLE, (statement, variable, value) =>
    COMPUTED.test(value) && !DECLARED.test(value) && !/\bawait\b/.test(value)
      ? `${variable}${MARK}(() => (${value}))();`
      : statement,
  );
}

/** `PURE$(()=>b(c))()` as `/* @__PURE__ *\/(()=>b(c))()`: not called at all where it is unused. */
export function pureCalls(text) {
  return text.replaceAll(`${MARK}(`, '/* @__PURE__ */(');
}
