import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** What the documents need to know of a resource: the tables' facts, and how its endpoints behave. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly type: DocumentedType;
  /** The type of its lists; needed when `verbs` has `list`. */
  readonly listType?: DocumentedType;
  readonly subresources: readonly ServedSubresource[];
  /** DELETE answers with the object that was deleted instead of a Status. */
  readonly deleteReturnsObject: boolean;
  /** Served from a CustomResourceDefinition: no protobuf, no strategic merge patch, no paths below `/watch`. */
  readonly isCustom: boolean;
}

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly type: DocumentedType;
  readonly style: SubresourceStyle;
}

export type SubresourceStyle =
  /** Read and written as an object. */
  | { readonly kind: 'object' }
  /** Answers GET with text, chosen by the fields of `options`. */
  | { readonly kind: 'text'; readonly options: Struct }
  /** Opens a stream or passes requests on; the fields of `options` are the query parameters. */
  | {
      readonly kind: 'connect';
      readonly methods: readonly HttpMethod[];
      readonly options: Struct;
      /** The rest of the path is passed on as well. */
      readonly takesPath: boolean;
    };

export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** A type from the tables, or a schema that is OpenAPI already. */
export type DocumentedType = Struct | WrittenSchema;

/** The schema of a custom resource in both versions of OpenAPI, complete with its `x-kubernetes-…` extensions. */
export interface WrittenSchema {
  /** The OpenAPI name: the group's parts in reverse, version and kind, such as `com.example.v1.Widget`. */
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly v3: JsonSchema;
  readonly v2: JsonSchema;
}

export function isWritten(type: DocumentedType): type is WrittenSchema {
  return 'v3' in type;
}

/** Where built-in types are found by OpenAPI name; throws for a name that is none. */
export interface TypeSource {
  struct(name: string): Struct;
  names(): Iterable<string>;
}
