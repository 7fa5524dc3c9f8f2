import { decodeJson, JsonBody, typeMetaOf, type TypeMeta } from '../json/index.ts';
import type { Struct } from '../schema/schema.ts';
import { YamlBody } from '../yaml/index.ts';
import { type ConfigurationKind, configurationStruct } from './configuration-kind.ts';

/** Configuration that says no kind, or one that nobody knows here. */
export class UnknownConfigurationKind extends Error {
  override readonly name = 'UnknownConfigurationKind';
}

export interface ReadConfigurationOptions {
  /** Refuses members that the kind does not have, and those that come twice. */
  readonly isStrict: boolean;
}

/**
 * Reads a configuration in YAML or JSON that says its kind. Ends with an error in the words of Kubernetes for what is no
 * such configuration.
 */
export function readConfiguration<T>(
  text: string,
  kinds: readonly ConfigurationKind[],
  { isStrict }: ReadConfigurationOptions,
): T {
  const body = bodyOf(text);
  const { apiVersion, kind } = body.typeMeta;
  if (kind === '') throw new UnknownConfigurationKind(`Object 'Kind' is missing in '${text}'`);
  if (apiVersion === '') throw new UnknownConfigurationKind(`Object 'apiVersion' is missing in '${text}'`);
  for (const known of kinds) {
    const version = known.versions.find((each) => apiVersion === `${known.group}/${each}`);
    if (known.kind === kind && version !== undefined)
      return body.decode(configurationStruct(known, version), isStrict) as T;
  }
  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  throw new UnknownConfigurationKind(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} ${scheme}`,
  );
}

interface ConfigurationBody {
  readonly typeMeta: TypeMeta;
  decode(struct: Struct, isStrict: boolean): unknown;
}

function bodyOf(text: string): ConfigurationBody {
  const validation = (isStrict: boolean) => ({ fieldValidation: isStrict ? ('Strict' as const) : ('Ignore' as const) });
  if (!text.trimStart().startsWith('{')) {
    const body = new YamlBody(text);
    const decode = (struct: Struct, isStrict: boolean): unknown => body.decode(struct, validation(isStrict)).value;
    return { typeMeta: body.typeMeta, decode };
  }
  const body = new JsonBody(text);
  const decode = (struct: Struct, isStrict: boolean): unknown => decodeJson(body, struct, validation(isStrict)).value;
  return { typeMeta: typeMetaOf(body), decode };
}
