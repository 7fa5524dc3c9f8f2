import type { KubernetesVersion } from '../../base/index.ts';
import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** What the documents need of a resource: its table entry, and how its endpoints behave. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly type: DocumentedType;
  /** The type of its lists; required if `verbs` has `list`. */
  readonly listType?: DocumentedType;
  readonly subresources: readonly ServedSubresource[];
  /** DELETE responds with the deleted object instead of a Status. */
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
  /** Opens a stream or forwards requests; the fields of `options` are the query parameters. */
  | {
      readonly kind: 'connect';
      readonly methods: readonly HttpMethod[];
      readonly options: Struct;
      /** The rest of the path is forwarded as well. */
      readonly takesPath: boolean;
    };

export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** A type from the tables, or a finished OpenAPI schema. */
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

/** Finds built-in types by OpenAPI name; throws for an unknown name. */
export interface TypeSource {
  /** The version of Kubernetes that the types are of. */
  readonly version: KubernetesVersion;
  struct(name: string): Struct;
  names(): Iterable<string>;
}
