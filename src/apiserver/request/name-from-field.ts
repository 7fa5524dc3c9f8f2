/** The name that `fieldSelector=metadata.name=…` asks for, or '' when the selector is not just that. */
export function nameFromField(selector: string): string {
  const match = /^metadata\.name==?([^,=\\!]+)$/.exec(selector);
  return match?.[1] ?? '';
}
