/** The parts that `--only` names, in their own order; all of them without it. A name that there is not ends the program. */
export function chosenParts<Part extends { readonly name: string }>(
  parts: readonly Part[],
  only: string | undefined,
): readonly Part[] {
  const wanted = only?.split(',').map((name) => name.trim());
  const unknown = wanted?.filter((name) => !parts.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) {
    const known = parts.map(({ name }) => name).join(', ');
    console.error(`There is no part ${unknown.map((name) => `"${name}"`).join(', ')}; there are: ${known}`);
    process.exit(2);
  }
  return parts.filter(({ name }) => wanted?.includes(name) ?? true);
}
