/**
 * Replaces `$(NAME)` with the variable of that name. `$$` stands for one `$`; references to unknown variables are left as they are.
 *
 * Example: with A=1, `$(A) $$(A) $(B) $A` becomes `1 $(A) $(B) $A`.
 */
export function expandVariables(text: string, lookUp: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text;
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (reference, name: string | undefined) =>
    name === undefined ? '$' : (lookUp(name) ?? reference),
  );
}
