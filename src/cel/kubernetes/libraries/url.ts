import { declareFunction, type FunctionDeclaration, member, overload } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, listOf, mapOf, objectType, STRING, type Type } from '../../type-terms/index.ts';
import { CelError, MapValue, noSuchOverload, Opaque, unconvertible, type Value } from '../../values/index.ts';
import {
  escapedPath,
  formatUrl,
  fromBytes,
  type GoUrl,
  parseRequestUri,
  parseUrl,
  queryValues,
  splitHost,
  UrlError,
} from '../go-url.ts';

export const URL_TYPE = objectType('kubernetes.URL');

/** A URL in an expression. */
export class UrlValue extends Opaque {
  readonly goName = 'cel.URL';
  override readonly type = URL_TYPE;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? this.toString() === other.toString() : noSuchOverload();
  }

  get native(): Value {
    return unconvertible('*url.URL', this.toString());
  }

  override toString(): string {
    return formatUrl(this.url);
  }
}

/** `url`, `isURL` and the parts of a URL. */
export function urlLibrary(): Library {
  return {
    functions: [
      declareFunction('url', [overload('string_to_url', [STRING], URL_TYPE, toUrl)]),
      part('getScheme', 'url_get_scheme', (url) => fromBytes(url.scheme)),
      part('getHost', 'url_get_host', (url) => fromBytes(url.host)),
      part('getHostname', 'url_get_hostname', (url) => fromBytes(splitHost(url).hostname)),
      part('getPort', 'url_get_port', (url) => splitHost(url).port),
      part('getEscapedPath', 'url_get_escaped_path', (url) => fromBytes(escapedPath(url))),
      part('getQuery', 'url_get_query', (url) => MapValue.from(queryValues(url)), mapOf(STRING, listOf(STRING))),
      declareFunction('isURL', [
        overload('is_url_string', [STRING], BOOL, (text) => urlProblem(text as string) === undefined),
      ]),
    ],
  };
}

function part(name: string, id: string, read: (url: GoUrl) => Value, ...result: readonly Type[]): FunctionDeclaration {
  const apply = (value: Value): Value => (value instanceof UrlValue ? read(value.url) : noSuchOverload());
  return declareFunction(name, [member(id, [URL_TYPE], result[0] ?? STRING, apply)]);
}

/** The problem with a string that is neither an absolute URL nor a path; undefined if it is valid. */
export function urlProblem(text: string): UrlError | undefined {
  const url = attempt(() => parseRequestUri(text));
  return url instanceof UrlError ? url : undefined;
}

function attempt(parse: () => GoUrl): GoUrl | UrlError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UrlError) return error;
    throw error;
  }
}

function toUrl(value: Value): Value {
  const text = value as string;
  const problem = urlProblem(text);
  const url = problem ?? attempt(() => parseUrl(text));
  if (url instanceof UrlError) return new CelError(`URL parse error during conversion from string: ${url.message}`);
  return new UrlValue(url);
}
