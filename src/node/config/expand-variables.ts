/**
 * Replaces `$(NAME)` by the variable of that name. `$$` stands for one `$`; a reference to what is not known stays as it is.
 *
 * Example: with A=1, `$(A) $$(A) $(B) $A` becomes `1 $(A) $(B) $A`.
 */
export function expandVariables(text: string, lookUp: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text;
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (reference, name: string | undefined) =>
    name === undefined ? '$' : (lookUp(name) ?? reference),
  );
}
