interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

export function hasAnnotation({ metadata }: Annotated, name: string): boolean {
  return metadata.annotations?.[name] !== undefined;
}
