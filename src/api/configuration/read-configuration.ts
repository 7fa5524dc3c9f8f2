import { DecodeError } from '../../base/index.ts';
import { decodeJson, JsonBody, typeMetaOf, type TypeMeta } from '../json/index.ts';
import type { Struct } from '../schema/schema.ts';
import { YamlBody } from '../yaml/index.ts';
import { type ConfigurationKind, configurationStruct } from './configuration-kind.ts';

/** The configuration names no kind, or one that is not among the expected kinds. */
export class UnknownConfigurationKind extends Error {
  override readonly name = 'UnknownConfigurationKind';
  /** The absent member of the two that name a kind; undefined when both are present. */
  readonly missing: 'Kind' | 'apiVersion' | undefined;

  constructor(message: string, missing?: 'Kind' | 'apiVersion') {
    super(message);
    this.missing = missing;
  }
}

export interface ReadConfigurationOptions {
  /** Rejects unknown and duplicate members. */
  readonly isStrict: boolean;
}

/** Reads a configuration in YAML or JSON that names its kind. Throws errors with Kubernetes' messages. */
export function readConfiguration<T>(
  text: string,
  kinds: readonly ConfigurationKind[],
  { isStrict }: ReadConfigurationOptions,
): T {
  const { body, struct } = bodyOfKind(text, kinds);
  return body.decode(struct, isStrict) as T;
}

/** A decoded configuration, and the reasons why strict decoding would reject it. */
export interface LenientConfiguration<T> {
  readonly value: T;
  /** Such as `unknown field "foo", unknown field "bar"`; empty when strict decoding accepts the text. */
  readonly problems: string;
}

/** Reads a configuration and returns unknown and duplicate members as `problems`, for callers that ignore or collect them. */
export function readConfigurationLeniently<T>(
  text: string,
  kinds: readonly ConfigurationKind[],
): LenientConfiguration<T> {
  const { body, struct } = bodyOfKind(text, kinds);
  const value = body.decode(struct, false) as T;
  try {
    body.decode(struct, true);
    return { value, problems: '' };
  } catch (error) {
    if (!(error instanceof DecodeError) || error.reason !== 'strict') throw error;
    return { value, problems: error.message.slice(STRICT.length) };
  }
}

const STRICT = 'strict decoding error: ';

function bodyOfKind(
  text: string,
  kinds: readonly ConfigurationKind[],
): { readonly body: ConfigurationBody; readonly struct: Struct } {
  const body = bodyOf(text);
  const { apiVersion, kind } = body.typeMeta;
  if (kind === '') throw new UnknownConfigurationKind(`Object 'Kind' is missing in '${text}'`, 'Kind');
  if (apiVersion === '')
    throw new UnknownConfigurationKind(`Object 'apiVersion' is missing in '${text}'`, 'apiVersion');
  for (const known of kinds) {
    const version = known.versions.find((each) => apiVersion === `${known.group}/${each}`);
    if (known.kind === kind && version !== undefined) return { body, struct: configurationStruct(known, version) };
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
